// The phone in a browser: a world that serves it, users who have it open, and their actions.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { createPerson, openAccount, type Person, payIn, signIn } from '../../harness/people/person.ts';
import { freePort } from '../../harness/processes/free-port.ts';
import { handlesOf } from '../../phone/serve/handles.ts';
import { phoneRoutes } from '../../phone/serve/routes.ts';
import { gbp } from './bank-details.ts';
import { browserPath, closeBrowser, type Opened, openPage } from './browser.ts';
import { startWorld, type World } from './world.ts';

/** A world whose sandbox serves the phone, and whose service allows its origin. */
async function startPhoneWorld(env: Record<string, string>): Promise<World> {
  const [port, sandboxPort] = [await freePort(), await freePort()];
  return startWorld({
    sandbox: { port: sandboxPort, pages: { '/phone': phoneRoutes(`http://127.0.0.1:${port}`) }, handlesOf },
    env: { ...env, PORT: String(port), CORS_ORIGINS: `http://localhost:${sandboxPort}` },
  });
}

/**
 * Gives all tests of the file a world that serves the phone. Its parts are empty until the tests begin, and stay so without a browser.
 * @param deposit the balance of `person`, as decimal text. Without it, there is no person.
 * @param env settings of the service.
 * @param hasBankAccount whether the person has saved a bank account.
 * @returns the world, the person, and a function that opens the phone with the person's session.
 */
export function usePhone({
  deposit,
  hasBankAccount = false,
  env = {},
}: {
  deposit?: string;
  hasBankAccount?: boolean;
  env?: Record<string, string>;
} = {}): {
  world: World;
  person: Person;
  open: (route: string) => Promise<Opened>;
} {
  const world = {} as World;
  const person = {} as Person;
  let sessionToken = '';
  beforeAll(async () => {
    if (browserPath === null) return;
    Object.assign(world, await startPhoneWorld(env));
    if (deposit === undefined) return;
    const wealthy = await wealthyPerson(world, deposit);
    Object.assign(person, wealthy.person);
    ({ sessionToken } = wealthy);
    if (hasBankAccount) await person.ponte.saveBankDetails(gbp);
  });
  afterAll(async () => {
    await closeBrowser();
    await world.stop?.();
  });
  return { world, person, open: (route) => openPhoneAs(world, sessionToken, { route }) };
}

type Look = { colorScheme?: 'light' | 'dark'; locale?: string };

/** Opens the phone as a user who opens it for the first time. */
export const openPhone = ({ url, sandboxUrl }: World, look: Look = {}): Promise<Opened> =>
  openPage(`${sandboxUrl}/phone/`, { origins: [url], ...look });

/**
 * Opens the phone with a session that it has kept.
 * @param route the part of the address after the #, such as `/pay`.
 */
export const openPhoneAs = (
  { url, sandboxUrl }: World,
  sessionToken: string,
  { route = '/', ...look }: Look & { route?: string } = {},
): Promise<Opened> =>
  openPage(`${sandboxUrl}/phone/#${route}`, {
    origins: [url],
    stored: { 'ponte.session': JSON.stringify(sessionToken) },
    ...look,
  });

/** Stores a value where the phone keeps its own. */
export const keep = (page: Page, name: string, value: unknown): Promise<void> =>
  page.evaluate(`localStorage.setItem('ponte.${name}', ${JSON.stringify(JSON.stringify(value))})`);

export const goTo = (page: Page, route: string): Promise<void> =>
  page.evaluate(`void (location.hash = ${JSON.stringify(route)})`);

/**
 * A verified user with money.
 * @param amount the balance, as decimal text.
 */
export async function wealthyPerson(
  world: World,
  amount: string,
): Promise<{ person: Person; sessionToken: string }> {
  const person = createPerson(world);
  const { sessionToken } = await signIn(person);
  await openAccount(person);
  await payIn(person, amount);
  return { person, sessionToken };
}

export const press = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click();

export const follow = (page: Page, name: string): Promise<void> =>
  page.getByRole('link', { name, exact: true }).click();

export const arrivesAt = (page: Page, heading: string): Promise<void> =>
  page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();

/** Waits until the focus is on this screen's heading, from where a keyboard user continues. */
export const beginsAt = (page: Page, heading: string): Promise<void> =>
  page.locator('h1:focus').filter({ hasText: heading }).waitFor();

export const reads = (page: Page, text: string | RegExp): Promise<void> =>
  page.getByText(text).first().waitFor();

/** Reads the names and values of a receipt. */
export async function factsOn(page: Page): Promise<Record<string, string>> {
  const facts = page.locator('.facts > div');
  const names = await facts.locator('dt').allInnerTexts();
  const values = await facts.locator('dd').allInnerTexts();
  return Object.fromEntries(names.map((name, index) => [name, values[index]?.trim() ?? '']));
}

export const showsStatus = (page: Page, status: string): Promise<void> =>
  page.locator(`[data-status=${status}]`).waitFor();

/**
 * Presses Tab until the element with this name has the focus and shows it.
 * @throws after as many presses as a screen needs.
 */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const passed: string[] = [];
  for (let pressed = 0; pressed < 30; pressed += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate<{ name: string; isShown: boolean }>(FOCUSED);
    const isIt = typeof name === 'string' ? focused.name === name : name.test(focused.name);
    if (isIt && !focused.isShown) throw new Error(`the focus on "${focused.name}" cannot be seen`);
    if (isIt) return;
    passed.push(focused.name);
  }
  throw new Error(`no "${name}" among ${passed.join(', ')}`);
}

/** Reads the focused element. Its outline may belong to a frame around it, or to an element that represents it. */
const FOCUSED = `(() => {
  const focused = document.activeElement;
  const name = focused.getAttribute('aria-label') ?? focused.labels?.[0]?.textContent ?? focused.textContent;
  const outlined = [focused, focused.parentElement, focused.nextElementSibling].some((one) => {
    const { outlineStyle, outlineWidth } = one === null ? {} : getComputedStyle(one);
    return one !== null && outlineStyle !== 'none' && outlineWidth !== '0px';
  });
  return { name: name.replace(/\\s+/g, ' ').trim(), isShown: outlined };
})()`;

/**
 * Makes a PIX code for a key, with its checksum.
 * @param amountBrl decimal text. Without it, the payer decides the amount.
 */
export function pixCode(key: string, amountBrl?: string): string {
  const body =
    field('00', '01') +
    field('26', field('00', 'br.gov.bcb.pix') + field('01', key)) +
    field('52', '0000') +
    field('53', '986') +
    (amountBrl === undefined ? '' : field('54', amountBrl)) +
    field('58', 'BR') +
    field('59', 'Joana Lima') +
    field('60', 'SAO PAULO') +
    field('62', field('05', '***'));
  return `${body}6304${checksum(`${body}6304`)}`;
}

const field = (tag: string, value: string): string => tag + String(value.length).padStart(2, '0') + value;

/** CRC-16 with the polynomial 0x1021 and the initial value 0xFFFF. */
function checksum(text: string): string {
  let sum = 0xffff;
  for (const byte of Buffer.from(text)) {
    sum ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1)
      sum = ((sum & 0x8000) === 0 ? sum << 1 : (sum << 1) ^ 0x1021) & 0xffff;
  }
  return sum.toString(16).toUpperCase().padStart(4, '0');
}

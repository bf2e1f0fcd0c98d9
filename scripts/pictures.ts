// `npm run pictures`: draws the phone into docs/pictures/: for the README, light and dark; a receipt; in Portuguese; and payments that are
// refused. It starts its own stack, and needs Chromium (CHROMIUM names a path other than Debian's).
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { createPerson, join, type Person, pay, payIn, reaches } from '../harness/people/person.ts';
import { until } from '../harness/people/until.ts';
import { freePort } from '../harness/processes/free-port.ts';
import { sandboxWithPhone } from '../harness/stack/local-stack.ts';
import { startTemporaryStack } from '../harness/stack/temporary-stack.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

const FOLDER = path.resolve(import.meta.dirname, '../docs/pictures');
const SCREEN = { width: 390, height: 780 };
const GAP = 24;
const GROUND = { light: '#dfe6e1', dark: '#22302c' };

const [port, sandboxPort] = [await freePort(), await freePort()];
const stack = await startTemporaryStack(temporaryFolder('pictures'), {
  port,
  sandboxPort,
  ...sandboxWithPhone(port, sandboxPort),
});
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  mkdirSync(FOLDER, { recursive: true });
  const { person, sessionToken, paymentId } = await somebody();
  for (const colorScheme of ['light', 'dark'] as const) {
    const shown = { colorScheme, sessionToken, paymentId };
    await drawSheet(
      browser,
      await screensOf(browser, shown),
      GROUND[colorScheme],
      `phone-${colorScheme}.png`,
    );
  }
  await drawReceipt(browser, { colorScheme: 'light', sessionToken, paymentId });
  await drawScenes(browser, await portugueseScenes(person), {
    name: 'phone-portuguese.png',
    locale: 'pt-BR',
    sessionToken,
  });
  await drawScenes(browser, refusedScenes(await chargeOfTwo()), {
    name: 'phone-refused.png',
    locale: 'en-US',
    sessionToken,
  });
} finally {
  await browser.close();
  await stack.stop();
}

async function somebody(): Promise<{ person: Person; sessionToken: string; paymentId: string }> {
  const person = createPerson(stack);
  const { sessionToken } = await join(person, '850.00');
  const account = { accountHolderName: 'Ada Close', sortCode: '12-34-56', accountNumber: '12345678' };
  await person.ponte.saveBankDetails({ currency: 'GBP', ...account });
  const to = { pixKey: 'joana@pix.example', pixKeyType: 'email' } as const;
  const { lookupId } = await person.ponte.lookUpRecipient(to);
  const paymentId = await pay(person, 120, { ...to, lookupId });
  await reaches(person, paymentId, 'completed');
  await payIn(person, '40.00');
  return { person, sessionToken, paymentId };
}

/** A screen, and what the person does there until it shows a text. */
type Scene = {
  route: string;
  text: string;
  kept?: Record<string, unknown>;
  act?: (page: Page) => Promise<void>;
};

function draftOf(pixKey: string) {
  return { pixKey, pixKeyType: 'email', recipientName: null, amountBrl: '86.50', isAmountFixed: false };
}

/** A recipient who was looked up, a contested payment of which a half came back, and a close match of a name. */
async function portugueseScenes(person: Person): Promise<Scene[]> {
  const id = await pay(person, 90, { pixKey: 'padaria@pix.example', pixKeyType: 'email' });
  await reaches(person, id, 'completed');
  await person.ponte.contest(id, { reason: 'scam', description: 'The shop does not exist.' });
  await until(
    () => person.ponte.payment(id),
    ({ contestationStatus }) => contestationStatus === 'accepted',
  );
  return [
    { route: '/pay/confirm', kept: { draft: draftOf('joana@pix.example') }, text: 'Joana Lima' },
    { route: `/payments/${id}`, text: 'Aceita: haverá devolução' },
    {
      route: '/withdraw',
      text: 'O banco diz que a conta pertence a',
      act: async (page) => {
        await page.locator('input[name=amount]').fill('10');
        await page.locator('form button').click();
      },
    },
  ];
}

/** A key without an account, a charge that somebody else pays at the same time, and a limit at night. */
function refusedScenes({ code, payFirst }: { code: string; payFirst: () => Promise<void> }): Scene[] {
  return [
    {
      route: '/pay/confirm',
      kept: { draft: draftOf('unknown@pix.example') },
      text: 'No account has this PIX key.',
    },
    {
      route: '/pay',
      text: 'already being paid',
      act: async (page) => {
        await page.getByRole('textbox', { name: 'PIX code' }).fill(code);
        await page.getByRole('button', { name: 'Continue' }).click();
        await payFirst();
        await page.getByRole('button', { name: /^Pay £/ }).click();
      },
    },
    {
      route: '/pay/confirm',
      kept: { draft: draftOf('tonight@pix.example') },
      text: 'The amount is above the limit at night.',
      act: (page) => page.getByRole('button', { name: /^Pay £/ }).click(),
    },
  ];
}

/** Returns the code of a charge, and how another person pays it. */
async function chargeOfTwo(): Promise<{ code: string; payFirst: () => Promise<void> }> {
  const other = createPerson(stack);
  await join(other, '50.00', { claims: { email: 'bea@example.com' } });
  const response = await fetch(`${stack.sandboxUrl}/sandbox/charges`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ amount: '12.50' }),
  });
  const { code } = (await response.json()) as { code: string };
  const payFirst = async () => {
    const { codeId, pixKey } = await other.ponte.readCode({ code });
    await pay(other, 12.5, { codeId, pixKey, pixKeyType: 'email' });
  };
  return { code, payFirst };
}

type Drawing = { name: string; locale: string; sessionToken: string };

async function drawScenes(
  from: Browser,
  scenes: Scene[],
  { name, locale, sessionToken }: Drawing,
): Promise<void> {
  const screens = [];
  for (const { route, text, kept = {}, act = () => Promise.resolve() } of scenes) {
    const page = await pageFor(from, 'light', locale);
    await keep(page, { session: sessionToken, ...kept });
    await page.evaluate(`void (location.hash = '${route}')`);
    await page.reload();
    await act(page);
    await page.getByText(text).first().waitFor();
    screens.push(await page.screenshot());
    await page.context().close();
  }
  await drawSheet(from, screens, GROUND.light, name);
}

type Shown = { colorScheme: 'light' | 'dark'; sessionToken: string; paymentId: string };

async function screensOf(from: Browser, { colorScheme, sessionToken, paymentId }: Shown): Promise<Buffer[]> {
  const page = await pageFor(from, colorScheme);
  const draft = {
    pixKey: '+5511987654321',
    pixKeyType: 'phone',
    recipientName: 'Padaria São João',
    amountBrl: '86.50',
    isAmountFixed: true,
  };
  await keep(page, { session: sessionToken, draft });
  const screens = [];
  for (const [route, text] of [
    ['/', 'PIX payment'],
    ['/pay/confirm', 'This price holds'],
    [`/payments/${paymentId}`, 'End-to-end id'],
  ] as const)
    screens.push(await screenAt(page, route, text));
  await page.context().close();
  return screens;
}

async function drawReceipt(from: Browser, { colorScheme, sessionToken, paymentId }: Shown): Promise<void> {
  const page = await pageFor(from, colorScheme);
  await keep(page, { session: sessionToken });
  const screen = await screenAt(page, `/receipts/${paymentId}`, 'Time in São Paulo');
  writeFileSync(path.join(FOLDER, 'phone-receipt.png'), screen);
  await page.context().close();
}

async function pageFor(from: Browser, colorScheme: Shown['colorScheme'], locale = 'en-GB'): Promise<Page> {
  const context = await from.newContext({ viewport: SCREEN, colorScheme, locale, reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(`${stack.sandboxUrl}/phone/`);
  return page;
}

async function keep(page: Page, values: Record<string, unknown>): Promise<void> {
  for (const [name, value] of Object.entries(values))
    await page.evaluate(`localStorage.setItem('ponte.${name}', ${JSON.stringify(JSON.stringify(value))})`);
}

async function screenAt(page: Page, route: string, text: string): Promise<Buffer> {
  await page.evaluate(`void (location.hash = '${route}')`);
  await page.reload();
  await page.getByText(text).first().waitFor();
  return page.screenshot();
}

async function drawSheet(from: Browser, screens: Buffer[], ground: string, name: string): Promise<void> {
  const width = screens.length * (SCREEN.width + GAP) + GAP;
  const page = await from.newPage({ viewport: { width, height: SCREEN.height + 2 * GAP } });
  const images = screens.map(
    (screen) =>
      `<img width="${SCREEN.width}" style="border-radius:28px" src="data:image/png;base64,${screen.toString('base64')}">`,
  );
  const style = `margin:0;padding:${GAP}px;display:flex;gap:${GAP}px;background:${ground}`;
  await page.setContent(`<body style="${style}">${images.join('')}`);
  await page.screenshot({ path: path.join(FOLDER, name) });
  await page.close();
}

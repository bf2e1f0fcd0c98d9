// The phone in two tabs, which share what the browser keeps: they follow each other's signing in and out, and ask before the same
// withdrawal.
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { all } from '../../harness/people/all.ts';
import { axe, browserPath } from '../support/browser.ts';
import { arrivesAt, goTo, keep, pixCode, press, reads, showsStatus, usePhone } from '../support/phone.ts';

const { person, open } = usePhone({ deposit: '300.00', hasBankAccount: true });

/** Opens a second tab with the same screen. @param script runs before the phone's own scripts. */
async function secondTab(page: Page, script = ''): Promise<Page> {
  const second = await page.context().newPage();
  await second.addInitScript(script);
  await second.goto(page.url());
  return second;
}

/** A tab with this script does not hear what the other tabs change, as if it had no time to listen. */
const DEAF = `addEventListener('storage', (event) => event.stopImmediatePropagation(), true)`;

const keptIn = (page: Page): Promise<string[]> => page.evaluate('Object.keys(localStorage)');

const signInButton = (page: Page) => page.getByRole('button', { name: 'Continue with Google' });

/** Holds the requests to this path back. @returns a function that lets them continue. */
async function holdRequests(page: Page, path: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(`**${path}`, async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

async function enterCode(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'PIX code' }).fill(pixCode('joana@pix.example', '25.00'));
  await press(page, 'Continue');
  await arrivesAt(page, 'Confirm');
}

async function enterAmount(page: Page, amount: string): Promise<void> {
  await page.getByLabel('Amount').fill(amount);
  await press(page, 'Continue');
  await press(page, `Withdraw £${amount}`);
}

const withdrawals = async () => (await all(person.ponte.withdraws())).length;

describe.skipIf(browserPath === null)('the phone in two tabs', () => {
  test('signing out in one tab signs out the other one, and signing in again does the same', async () => {
    const { page, complaints, close } = await open('/pay');
    const second = await secondTab(page);
    await enterCode(second);
    await second.getByRole('button', { name: /^Pay £/ }).waitFor();
    await goTo(page, '/account');
    await press(page, 'Sign out');
    for (const tab of [page, second]) await signInButton(tab).waitFor();
    expect(await Promise.all([page, second].map(keptIn))).toEqual([[], []]);

    await page.getByLabel('E-mail').fill('bob@example.com');
    await signInButton(page).click();
    for (const tab of [page, second]) await arrivesAt(tab, 'Your currency');
    expect(complaints.console).toEqual([]);
    await close();
  });

  test('a tab that has not heard of the signing out keeps neither a price nor a confirmation, and pays nothing', async () => {
    const { page, close } = await open('/pay');
    const second = await secondTab(page, DEAF);
    const quote = await holdRequests(second, '/pix/quote');
    await enterCode(second);
    await goTo(page, '/account');
    await press(page, 'Sign out');
    await signInButton(page).waitFor();
    await second.waitForFunction(`localStorage.getItem('ponte.session') === null`);
    quote();
    await second.getByRole('button', { name: /^Pay £/ }).waitFor();
    expect(await keptIn(second)).toEqual([]);

    await press(second, /^Pay £/);
    await reads(second, 'There is no payment here');
    expect(await Promise.all([page, second].map(keptIn))).toEqual([[], []]);
    expect(await all(person.ponte.payments())).toEqual([]);
    await close();
  });

  test('an answer that arrives after the person signed out is not kept', async () => {
    const { page, close } = await open('/withdraw');
    const send = await holdRequests(page, '/withdraws');
    const before = await withdrawals();
    await enterAmount(page, '15.25');
    await arrivesAt(page, 'Withdrawing');
    await goTo(page, '/account');
    await press(page, 'Sign out');
    await signInButton(page).waitFor();
    // The phone reads the balance after it has stored where the answer leads.
    const balance = page.waitForRequest((request) => request.url().endsWith('/me'));
    send();
    await balance;
    expect([await keptIn(page), await withdrawals()]).toEqual([[], before + 1]);
    await close();
  });

  test('what a tab stored in the moment of the signing out is removed when the phone is opened', async () => {
    const { page, close } = await open('/account');
    await press(page, 'Sign out');
    await signInButton(page).waitFor();
    await keep(page, 'answered-at', '/history');
    await page.reload();
    await signInButton(page).waitFor();
    expect(await keptIn(page)).toEqual([]);
    await close();
  });

  test('the same withdrawal in a second tab within a minute is made only if the person insists', async () => {
    const { page, complaints, close } = await open('/withdraw');
    const before = await withdrawals();
    const made = async () => (await withdrawals()) - before;
    // The phone's clock stands still, so that a slow machine stays within the minute.
    const now = Date.now();
    await page.clock.setFixedTime(now);
    const second = await secondTab(page);
    await arrivesAt(second, 'Withdraw');
    await enterAmount(page, '17.25');
    await showsStatus(page, 'completed');

    await enterAmount(second, '17.25');
    await reads(second, 'You just withdrew £17.25');
    expect([await made(), await axe(second)]).toEqual([1, []]);
    await press(second, 'Withdraw again');
    await showsStatus(second, 'completed');
    expect(await made()).toBe(2);

    await goTo(second, '/withdraw');
    await enterAmount(second, '17.50');
    await showsStatus(second, 'completed');
    expect(await made()).toBe(3);

    await page.clock.setFixedTime(now + 60_000);
    await goTo(page, '/withdraw');
    await enterAmount(page, '17.50');
    await showsStatus(page, 'completed');
    expect([await made(), complaints.console]).toEqual([4, []]);
    await close();
  });

  test('the same amount to another bank account is not asked about', async () => {
    const { page, complaints, close } = await open('/withdraw');
    const before = await withdrawals();
    await page.clock.setFixedTime(new Date());
    await enterAmount(page, '20.20');
    await showsStatus(page, 'completed');
    await goTo(page, '/bank-details');
    await page.getByLabel('Name on the account').fill('Ada Silva');
    await page.getByLabel('Sort code').fill('12 34 56');
    await page.getByLabel('Account number').fill('8765 4321');
    await press(page, 'Save');
    await arrivesAt(page, 'Withdraw');
    await enterAmount(page, '20.20');
    await showsStatus(page, 'completed');
    expect([await withdrawals(), complaints.console]).toEqual([before + 2, []]);
    await close();
  });
});

// The phone after a lost answer: the person finds out what happened, or makes a second request. The two are never confused.
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { all } from '../../harness/people/all.ts';
import { axe, browserPath } from '../support/browser.ts';
import { byTable } from '../support/by-table.ts';
import {
  arrivesAt,
  follow,
  openPhoneAs,
  pixCode,
  press,
  reads,
  showsStatus,
  usePhone,
  wealthyPerson,
} from '../support/phone.ts';
import { until } from '../support/until.ts';

const { world, person, open } = usePhone({ deposit: '300.00', hasBankAccount: true });

/**
 * Loses the answers to every POST to this path, which the service still executes.
 * @returns the keys that were sent, and a function that ends this.
 */
async function loseAnswers(
  page: Page,
  path: string,
): Promise<{ keys: Set<string>; end: () => Promise<void> }> {
  const keys = new Set<string>();
  await page.route(`**${path}`, async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    keys.add(route.request().headers()['idempotency-key'] ?? '');
    await route.fetch();
    await route.abort('connectionreset');
  });
  return { keys, end: () => page.unroute(`**${path}`) };
}

async function withdraw(page: Page, amount: string): Promise<void> {
  await page.getByLabel('Amount').fill(amount);
  await press(page, 'Continue');
  await press(page, `Withdraw £${amount}`);
}

const withdrawals = () => all(person.ponte.withdraws());

describe.skipIf(browserPath === null)('the phone', () => {
  test('a check finds the withdrawal whose answer was lost, even after the person left the screen', async () => {
    const { page, complaints, close } = await open('/withdraw');
    const before = (await withdrawals()).length;
    const lost = await loseAnswers(page, '/withdraws');
    await withdraw(page, '16.16');
    await reads(page, 'Ponte did not answer.');
    await reads(page, 'We do not know whether your withdrawal reached us.');
    expect(await axe(page)).toEqual([]);
    await page.getByRole('button', { name: 'Withdraw again' }).waitFor();

    await follow(page, 'Home');
    await follow(page, 'Withdraw');
    await arrivesAt(page, 'Withdrawing');
    await reads(page, 'Ponte did not answer.');
    await lost.end();
    await press(page, 'Check');
    await showsStatus(page, 'settling');
    expect([lost.keys.size, (await withdrawals()).length - before]).toEqual([1, 1]);
    expect(complaints.console).toEqual([]);
    await close();
  });

  test("a second withdrawal after a lost answer is the person's choice, and has its own key", async () => {
    const { page, complaints, close } = await open('/withdraw');
    const before = (await withdrawals()).length;
    const lost = await loseAnswers(page, '/withdraws');
    await withdraw(page, '16.16');
    await press(page, 'Withdraw again');
    await arrivesAt(page, 'Withdraw');
    await withdraw(page, '16.16');
    await reads(page, 'Ponte did not answer.');
    await lost.end();
    await press(page, 'Check');
    await showsStatus(page, 'settling');
    expect([lost.keys.size, (await withdrawals()).length - before]).toEqual([2, 2]);
    expect(complaints.console).toEqual([]);
    await close();
  });

  test('a check finds the payment whose answer was lost', async () => {
    const { page, complaints, close } = await open('/pay');
    const before = (await all(person.ponte.payments())).length;
    const lost = await loseAnswers(page, '/pix/payments');
    await page.getByRole('textbox', { name: 'PIX code' }).fill(pixCode('joana@pix.example', '25.00'));
    await press(page, 'Continue');
    await press(page, /^Pay £/);
    await reads(page, 'Ponte did not answer.');
    await page.getByRole('button', { name: 'Pay again' }).waitFor();
    await lost.end();
    await press(page, 'Check');
    await showsStatus(page, 'completed');
    expect((await all(person.ponte.payments())).length - before).toBe(1);
    expect(complaints.console).toEqual([]);
    await close();
  });

  test('a check finds the retry whose answer was lost', async () => {
    const { page, complaints, close } = await open('/pay');
    await page.getByRole('textbox', { name: 'PIX code' }).fill(pixCode('recover@pix.example', '10.00'));
    await press(page, 'Continue');
    await press(page, /^Pay £/);
    await showsStatus(page, 'payout_failed');
    const lost = await loseAnswers(page, '/pix/payments/*/retry');
    await press(page, 'Send it again');
    await reads(page, 'We do not know whether your last attempt reached us.');
    await lost.end();
    await press(page, 'Check');
    await showsStatus(page, 'completed');
    expect(lost.keys.size).toBe(1);
    expect(complaints.console).toEqual([]);
    await close();
  });

  test('a check finds the data request whose answer was lost, even after a reload', async () => {
    const { page, complaints, close } = await open('/account/data');
    const lost = await loseAnswers(page, '/me/data-request');
    await press(page, 'Send the request');
    await reads(page, 'Ponte did not answer.');
    await page.getByRole('button', { name: 'Make another request' }).waitFor();
    await lost.end();
    await page.reload();
    await reads(page, 'There was no answer yet.');
    await press(page, 'Check');
    await reads(page, 'We have your request');
    const rows = await byTable(world.service.app.db).selectFrom('data_requests').select('id').execute();
    expect([lost.keys.size, rows.length]).toEqual([1, 1]);
    expect(complaints.console).toEqual([]);
    await close();
  });

  test('the history says of each payment where its money is', async () => {
    const poor = await wealthyPerson(world, '100.00');
    for (const pixKey of ['fail@pix.example', 'refund@pix.example'])
      await poor.person.ponte
        .quote(10)
        .then(({ quoteId }) => poor.person.ponte.pay({ quoteId, pixKey, pixKeyType: 'email' }));
    await until(
      () => all(poor.person.ponte.payments()),
      (payments) =>
        ['manual_review', 'payout_failed'].every((wanted) =>
          payments.some(({ status }) => status === wanted),
        ),
    );
    const { page, complaints, close } = await openPhoneAs(world, poor.sessionToken, { route: '/history' });
    const lines = page.locator('.movement');
    const returned = lines.filter({ hasText: 'Returned' });
    await returned.waitFor();
    // Their names are unknown, so the keys are shown, masked.
    for (const key of ['f***@pix.example', 'r*****@pix.example'])
      await lines.filter({ hasText: key }).waitFor();
    expect(await returned.locator('.struck').count()).toBe(0);
    await lines.filter({ hasText: 'Not received' }).waitFor();
    await follow(page, 'Home');
    await lines.filter({ hasText: 'Not received' }).waitFor();
    expect(complaints.console).toEqual([]);
    await close();
  });
});

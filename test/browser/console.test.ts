// The sandbox's console in a browser, with the service as the provider's client: the decisions of a tester reach the app.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axe, browserPath, closeBrowser, type Opened, openPage } from '../support/browser.ts';
import { balanceOf, type Person, pay, quote, reaches, verified } from '../support/person.ts';
import { until } from '../support/until.ts';
import { accountRefOf, payoutsOf } from '../support/upstream.ts';
import { startWorld, type World } from '../support/world.ts';

let world: World;
let ada: Person;

const slow = { pixKey: 'slow@pix.example', pixKeyType: 'email' } as const;
const none = { console: [], elsewhere: [], failed: [] };

const open = (path: string, options: Parameters<typeof openPage>[1] = {}): Promise<Opened> =>
  openPage(world.sandboxUrl + path, options);

/** Waits until the page shows the text. Its parts are fetched repeatedly. */
const shows = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();

/**
 * Makes a PIX payment whose payout waits for a decision.
 * @returns the payment's id and the payout's uuid.
 */
async function waitingPayment(amountBrl: number): Promise<{ id: string; payout: string }> {
  const id = await pay(ada, await quote(ada, amountBrl), slow);
  const [payout] = await until(
    () => payoutsOf(world, id),
    ({ length }) => length > 0,
  );
  return { id, payout: payout?.uuid ?? '' };
}

/** The text of the focused element, or of its label. */
const focused = (page: Page) =>
  page.evaluate<{ text: string; isSeen: boolean }>(`(() => {
    const { activeElement } = document;
    const { textContent } = activeElement.labels?.[0] ?? activeElement;
    return { text: textContent.trim(), isSeen: getComputedStyle(activeElement).outlineStyle === 'solid' };
  })()`);

/** Presses Tab until the element has the focus and is visible. */
async function tabTo(page: Page, text: string): Promise<void> {
  for (let tabs = 0; !(await focused(page)).text.startsWith(text); tabs++) {
    if (tabs > 60) throw new Error(`the focus never comes to ${text}`);
    await page.keyboard.press('Tab');
  }
  expect(await focused(page)).toMatchObject({ isSeen: true });
}

const isWide = (page: Page) =>
  page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth');

describe.skipIf(browserPath === null)('the console', { timeout: 180_000 }, () => {
  beforeAll(async () => {
    world = await startWorld();
    ada = await verified(world, { deposit: '500.00' });
  });
  afterAll(async () => {
    await closeBrowser();
    await world.stop();
  });

  test('a deposit of a tester appears in the balance, the ledger, the callbacks and the app', async () => {
    const before = (await balanceOf(ada)) ?? 0;
    const feed = await open('/console/callbacks', { width: 1100 });
    const { page, complaints, close } = await open('/console/accounts');
    const account = await accountRefOf(world, ada.userId, 'GBP');
    await page.locator(`a[href="/console/accounts/${account}"]`).click();
    await page.getByLabel('Amount').fill('20.50');
    await page.getByLabel('Reference').fill('Pocket money');
    await page.getByRole('button', { name: 'Deposit' }).click();

    await page.getByRole('status').waitFor();
    await shows(page, '+20.50 GBP');
    await page.locator('#live .feed').getByText('delivered').waitFor();
    await feed.page.locator('#feed').getByText('CREDIT DEPOSIT 20.50 GBP').waitFor();
    await until(
      () => balanceOf(ada),
      (balance) => balance === before + 2050,
    );

    await page.getByRole('link', { name: 'Pocket money' }).click();
    await shows(page, '−20.50 GBP');
    await page.getByRole('link', { name: 'Accounts' }).click();
    await page.locator(`a[href="/console/accounts/${account}"]`).click();
    await shows(page, 'Pocket money');
    expect([complaints, feed.complaints]).toEqual([none, none]);
    await Promise.all([close(), feed.close()]);
  });

  test('a tester completes a slow payout and the payment completes; the payout is returned and the payment needs an operator', async () => {
    const { id, payout } = await waitingPayment(11);
    const { page, complaints, close } = await open('/console/payouts?status=PENDING');
    await page.locator(`a[href="/console/payouts/${payout}"]`).click();
    await page.getByRole('button', { name: 'Complete' }).click();
    await shows(page, 'Completed.');
    await reaches(ada, id, 'completed');
    expect(await page.getByRole('button', { name: 'Fail' }).count()).toBe(0);

    await page.getByRole('button', { name: 'Return', exact: true }).click();
    await shows(page, 'The payout is REFUNDED: that is final.');
    expect((await reaches(ada, id, 'manual_review')).failureCode).toBe('payout_returned');
    expect(complaints).toEqual(none);
    await close();
  });

  test('a payout that a tester fails changes on an open page, and an outdated button says why it does nothing', async () => {
    const { id, payout } = await waitingPayment(12);
    const watching = await open(`/console/payouts/${payout}`);
    const { page, complaints, close } = await open(`/console/payouts/${payout}`);
    await watching.page.locator('h1 .badge', { hasText: 'PENDING' }).waitFor();
    await page.getByRole('button', { name: 'Fail' }).click();
    await reaches(ada, id, 'payout_failed');
    await watching.page.locator('h1 .badge', { hasText: 'FAILED' }).waitFor();
    await shows(watching.page, 'only another attempt by the client can change that');

    await page.evaluate(`document.querySelector('main').innerHTML =
      '<form method="post" action="/sandbox/payouts/${payout}/complete"><button>Complete</button></form>'`);
    await page.getByRole('button', { name: 'Complete' }).click();
    await page.getByRole('alert').waitFor();
    await shows(page, 'the payout is FAILED: only another attempt by the client can change that');
    expect(complaints).toMatchObject({ ...none, failed: [expect.stringMatching(/^409 POST /)] });
    await Promise.all([close(), watching.close()]);
  });

  test('a tester loses a callback and sends it afterwards by the keyboard alone', async () => {
    const { id, payout } = await waitingPayment(13);
    const { page, complaints, close } = await open(`/console/payouts/${payout}`, { width: 1100 });
    await page.keyboard.press('Tab');
    expect(await focused(page)).toEqual({ text: 'To the content', isSeen: true });
    await tabTo(page, 'Its callback');
    await page.keyboard.press('End');
    await tabTo(page, 'Complete');
    await page.keyboard.press('Enter');
    await page.getByRole('status').waitFor();
    await page.locator('.feed').getByText('lost', { exact: true }).waitFor();

    await tabTo(page, 'payout.updated');
    await page.keyboard.press('Enter');
    await page.locator('h1 .badge', { hasText: 'lost' }).waitFor();
    await tabTo(page, 'Send it again');
    await page.keyboard.press('Enter');
    await page.locator('h1 .badge', { hasText: 'delivered' }).waitFor();
    await reaches(ada, id, 'completed');
    expect(complaints).toEqual(none);
    await close();
  });

  test('every page of the console is accessible, on a phone and on a desk, light and dark', async () => {
    const account = await accountRefOf(world, ada.userId, 'GBP');
    const { payout } = await waitingPayment(14);
    const paths = [
      '/',
      '/console',
      '/console/owners',
      '/console/accounts',
      `/console/accounts/${account}`,
      '/console/transfers',
      '/console/payouts',
      `/console/payouts/${payout}`,
      '/console/payouts?status=ERROR',
      '/console/callbacks',
      '/console/callbacks/1',
      '/console/ledger',
      '/fault-injection',
      '/identity/a/',
    ];
    for (const options of [{ colorScheme: 'light' }, { colorScheme: 'dark', width: 1100 }] as const) {
      const { page, complaints, close } = await open(paths[0] ?? '', options);
      for (const path of paths) {
        await page.goto(world.sandboxUrl + path);
        expect([path, await axe(page), await isWide(page)]).toEqual([path, [], false]);
      }
      expect(complaints).toEqual(none);
      await close();
    }
  });
});

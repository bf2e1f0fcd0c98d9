// The history of the phone: filters, and a search that says how far it has looked.
import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { pay, reaches } from '../../harness/people/person.ts';
import { axe, browserPath } from '../support/browser.ts';
import { press, reads, usePhone } from '../support/phone.ts';
import { until } from '../support/until.ts';

const { world, person, open } = usePhone({ deposit: '300.00' });

/** Deposits of former months, each a day older than the one before. They are more than two requests of the history read. */
const OLD = 118;

beforeAll(async () => {
  if (browserPath === null) return;
  const joana = { pixKey: 'joana@pix.example', pixKeyType: 'email' } as const;
  const { lookupId } = await person.ponte.lookUpRecipient(joana);
  await reaches(person, await pay(person, 25, { ...joana, lookupId }), 'completed');
  const failing = { pixKey: 'fail@pix.example', pixKeyType: 'email' } as const;
  await reaches(person, await pay(person, 30, failing), 'payout_failed');
  const { user } = await person.ponte.me();
  await sql`
    insert into transactions (id, user_id, type, status, source_currency, source_amount_minor, provider, created_at)
    select gen_random_uuid(), ${user.id}::uuid, 'deposit', 'completed', 'GBP', 100000 + number, 'sandbox',
      now() - make_interval(days => 40 + number)
    from generate_series(1, ${OLD}::int) number`.execute(world.service.app.db);
});

const shown = (page: Page) => page.locator('.movement');
const shows = (page: Page, count: number): Promise<number> =>
  until(
    () => shown(page).count(),
    (seen) => seen === count,
  );
const search = (page: Page, text: string) => page.getByRole('searchbox', { name: 'Search' }).fill(text);

describe.skipIf(browserPath === null)('the history of the phone', () => {
  test('the history shows what a person chooses, in the whole list', async () => {
    const { page, complaints, close } = await open('/history');
    await shows(page, 10);
    await page.getByText('Filter').click();
    await page.getByLabel('Kind').selectOption('PIX payments');
    await shows(page, 2);
    await reads(page, 'Filter: PIX payments');
    await page.getByLabel('State').selectOption('Under way');
    await shows(page, 1);
    await reads(page, 'Not received');
    await page.getByLabel('State').selectOption('Did not work');
    await reads(page, 'Nothing like this.');
    expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
    await page.getByLabel('State').selectOption('Any');
    await page.getByLabel('Kind').selectOption('Everything');
    await page.getByLabel('Period').selectOption('This month');
    await shows(page, 3);
    expect(await axe(page)).toEqual([]);
    expect(complaints.console).toEqual([]);
    await close();
  });

  test('the search finds words in what was read, says how far it has looked, and looks further', async () => {
    const { page, complaints, close } = await open('/history');
    await shows(page, 10);
    await search(page, 'lima JOANA');
    await shows(page, 1);
    await reads(page, /^1 found in the newest 10, back to \d+ \w+ \d{4}\.$/);
    // The oldest deposit.
    await search(page, `1,001.${OLD - 100}`);
    await reads(page, /^0 found in the newest 10, /);
    await press(page, 'Search further back');
    await reads(page, /^0 found in the newest 60, /);
    await press(page, 'Search further back');
    await reads(page, /^0 found in the newest 110, /);
    await press(page, 'Search further back');
    await reads(page, `1 found in all ${OLD + 3}.`);
    await shows(page, 1);
    expect(await page.getByRole('button', { name: 'Search further back' }).count()).toBe(0);
    expect(await axe(page)).toEqual([]);
    await search(page, '');
    await shows(page, OLD + 3);
    expect(complaints.console).toEqual([]);
    await close();
  });

  test('another choice ends the requests of the one before', async () => {
    const { page, complaints, close } = await open('/history');
    await shows(page, 10);
    const { promise, resolve } = Promise.withResolvers<void>();
    const ended = page.waitForEvent('requestfailed', (request) => request.url().includes('type=withdraw'));
    await page.route('**/transactions?*type=withdraw*', async (route) => {
      await promise;
      await route.continue().catch(() => undefined);
    });
    await page.getByText('Filter').click();
    await page.getByLabel('Kind').selectOption('Withdrawals');
    await reads(page, 'Reading…');
    await page.getByLabel('Kind').selectOption('PIX payments');
    expect((await ended).failure()?.errorText).toBe('net::ERR_ABORTED');
    await shows(page, 2);
    resolve();
    expect(complaints.console).toEqual([]);
    await close();
  });
});

// Objects in the provider's lists that cannot be read. Each is recorded, is fetched again every night, and hides no other object.
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { listOrphans } from '../../../ops/recovery/recovery.ts';
import { reconcile } from '../../../src/jobs/reconcile-by-hand.ts';
import { opsHere, opsJson } from '../../ops/support.ts';
import { byTable } from '../../support/by-table.ts';
import { must, type Person, pay, quote, reaches, verified } from '../../support/person.ts';
import { depositWithoutCallback, refundWithoutCallback } from '../../support/unannounced.ts';
import { accountRefOf, payoutsOf } from '../../support/upstream.ts';
import type { WireObject } from '../../support/upstream-proxy.ts';
import { useWorld } from '../../support/use-world.ts';

const { world, proxy, ada, app } = useWorld({ proxy: true, deposit: '5000.00' });
beforeEach(async () => {
  await byTable(app().db).updateTable('provider_accounts').set({ movements_cursor: null }).execute();
  await byTable(app().db).deleteFrom('list_findings').execute();
});

test('a payout of an unknown status hides no other payout, and is applied once it can be read', async () => {
  const [first, second] = [await paid(20), await paid(21)];
  const [unreadable] = await payoutsOf(world, first);
  const lie = onHold(String(unreadable?.uuid));
  await refundWithoutCallback(world, unreadable?.uuid);
  await refundWithoutCallback(world, (await payoutsOf(world, second))[0]?.uuid);
  await depositWithoutCallback(ada, '12.34');

  const { counts, failures, openDiscrepancies } = await reconcile(app());
  expect(failures).toEqual([]);
  expect(counts).toMatchObject({ 'payouts corrected': 1, 'deposits recorded': 1, 'objects unreadable': 1 });
  expect(openDiscrepancies).toBe(1);
  await reaches(ada, second, 'manual_review');
  expect(await findings()).toMatchObject([
    {
      kind: 'unreadable',
      list: 'payouts',
      account_ref: null,
      provider_ref: unreadable?.uuid,
      reason: 'status must be equal to one of the allowed values',
      resolved_at: null,
    },
  ]);

  const { out } = await opsHere(app(), ['discrepancies']);
  expect(out).toMatch(new RegExp(`unreadable +payouts .*${unreadable?.uuid}`));

  expect((await reconcile(app())).counts).toMatchObject({ 'objects still unreadable': 1 });
  expect(await findings()).toHaveLength(1);

  lie.heal();
  expect((await reconcile(app())).openDiscrepancies).toBe(0);
  await reaches(ada, first, 'manual_review');
  expect(await findings()).toMatchObject([{ resolution: expect.stringContaining('read') as string }]);
});

test('a payout that only lists show unreadable is fetched by its uuid in the same run', async () => {
  const id = await paid(25);
  const [payout] = await payoutsOf(world, id);
  const lie = proxy.lie({
    operation: 'findPayouts',
    about: String(payout?.uuid),
    change: (truth) => ({ ...truth, status: 'ON_HOLD' }),
  });
  await refundWithoutCallback(world, payout?.uuid);
  expect(await reconcile(app())).toMatchObject({
    counts: { 'objects unreadable': 1, 'payouts corrected': 1 },
    failures: [],
    openDiscrepancies: 0,
  });
  await reaches(ada, id, 'manual_review');
  lie.heal();
});

test('an unreadable payout stays open while it can be read and not applied', async () => {
  const id = await paid(27);
  const [payout] = await payoutsOf(world, id);
  const lie = onHold(String(payout?.uuid));
  await refundWithoutCallback(world, payout?.uuid);
  await reconcile(app());
  lie.heal();
  const lists = proxy.lie({
    operation: 'findPayouts',
    about: String(payout?.uuid),
    change: (truth) => ({ ...truth, status: 'ON_HOLD' }),
  });
  const { db } = app();
  await sql`alter table pix_payments add constraint broken check (state <> 'manual_review') not valid`.execute(
    db,
  );
  await reconcile(app());
  await sql`alter table pix_payments drop constraint broken`.execute(db);
  expect(await findings()).toMatchObject([{ provider_ref: payout?.uuid, resolved_at: null }]);
  await reconcile(app());
  await reaches(ada, id, 'manual_review');
  lists.heal();
});

test('an unreadable payout that the provider answers with 404 stays open, because a wrong company id answers 404 for every object', async () => {
  const [payout] = await payoutsOf(world, await paid(26));
  const lie = onHold(String(payout?.uuid));
  await reconcile(app());
  const gone = proxy.spoil({
    operation: 'getPayout',
    spoilt: { status: 404 },
    forwarded: false,
    about: String(payout?.uuid),
    times: 1_000,
  });
  expect((await reconcile(app())).counts).toMatchObject({ 'objects still unreadable': 1 });
  expect(gone.hits()).toBeGreaterThan(0);
  expect(await findings()).toMatchObject([{ provider_ref: payout?.uuid, resolved_at: null }]);
  gone.heal();
  lie.heal();
  expect((await reconcile(app())).openDiscrepancies).toBe(0);
});

test('an unreadable payout that an operator has closed is neither fetched nor reported again', async () => {
  const [payout] = await payoutsOf(world, await paid(22));
  const lie = onHold(String(payout?.uuid));
  await reconcile(app());
  const [finding] = await findings();
  const reason = 'the provider has removed it, ticket 1';
  const resolve = ['discrepancies', 'resolve', String(finding?.id), '--reason', reason];
  expect(await opsJson(world, ...resolve)).toMatchObject({ changed: true });
  const before = proxy.count('getPayout', payout?.uuid);
  expect(await reconcile(app())).toMatchObject({ openDiscrepancies: 0 });
  expect(proxy.count('getPayout', payout?.uuid)).toBe(before);
  expect(await findings()).toMatchObject([{ resolution: reason }]);
  lie.heal();
});

test('a movement of an unknown kind hides no deposit, and is recorded as one once it can be read', async () => {
  const lie = proxy.lie({ about: '"40.01"', change: (truth) => ({ ...truth, kind: 'GIFT' }) });
  await depositWithoutCallback(ada, '40.01');
  await depositWithoutCallback(ada, '40.02');
  const { counts, failures } = await reconcile(app());
  expect(failures).toEqual([]);
  expect(counts).toMatchObject({ 'deposits recorded': 1, 'objects unreadable': 1 });
  expect(await findings()).toMatchObject([
    { list: 'movements', account_ref: await accountRefOf(world, ada.userId, 'GBP') },
  ]);
  lie.heal();
  expect((await reconcile(app())).counts['deposits recorded']).toBe(1);
  expect(await depositsOf(4_001)).toBe(1);
});

test('a movement without a uuid stops the cursor of its account until an operator closes it', async () => {
  await reconcile(app());
  const cursor = await cursorOf(ada);
  const lie = proxy.lie({ about: '"50.01"', change: ({ uuid: _gone, ...truth }) => truth });
  await depositWithoutCallback(ada, '50.01');
  await depositWithoutCallback(ada, '50.02');
  expect((await reconcile(app())).counts).toMatchObject({
    'deposits recorded': 1,
    'objects unreadable': 1,
  });
  expect(await cursorOf(ada)).toBe(cursor);
  const [finding] = await findings();
  expect(finding).toMatchObject({ provider_ref: null, position: cursor });
  expect((await reconcile(app())).counts).toMatchObject({ 'movements scanned': 1 });
  expect(await findings()).toHaveLength(1);

  await opsJson(world, 'discrepancies', 'resolve', String(finding?.id), '--reason', 'ticket 2');
  await reconcile(app());
  expect(await cursorOf(ada)).not.toBe(cursor);
  lie.heal();
});

test('a movement without a uuid is recorded once it has one', async () => {
  await reconcile(app());
  const lie = proxy.lie({ about: '"51.01"', change: ({ uuid: _gone, ...truth }) => truth });
  await depositWithoutCallback(ada, '51.01');
  expect(await reconcile(app())).toMatchObject({ openDiscrepancies: 1 });
  lie.heal();
  expect(await reconcile(app())).toMatchObject({
    counts: { 'deposits recorded': 1 },
    openDiscrepancies: 0,
  });
});

test('a list of movements whose cursors form a circle ends with a finding', async () => {
  const bob = await verified(world, { deposit: '30.00' });
  await depositWithoutCallback(bob, '30.01');
  const ref = await accountRefOf(world, ada.userId, 'GBP');
  const circle = inCircles('listMovements', ref);
  const before = proxy.count('listMovements', ref);
  const { counts, failures } = await reconcile(app());
  expect(proxy.count('listMovements', ref) - before).toBeLessThan(10);
  expect(failures).toMatchObject([{ stage: 'deposits' }]);
  expect(counts).toMatchObject({ 'not checked': 1, 'deposits recorded': 1 });
  expect(await findings()).toMatchObject([{ kind: 'cursor_circle', list: 'movements', account_ref: ref }]);
  circle.heal();
  expect(await reconcile(app())).toMatchObject({ openDiscrepancies: 0, failures: [] });
});

test('a list of payouts whose cursors form a circle ends with a finding, and its payouts are applied', async () => {
  const id = await paid(23);
  await refundWithoutCallback(world, (await payoutsOf(world, id))[0]?.uuid);
  const circle = inCircles('findPayouts', 'limit=');
  const before = proxy.count('findPayouts', 'limit=');
  const { counts, failures } = await reconcile(app());
  expect(proxy.count('findPayouts', 'limit=') - before).toBeLessThan(10);
  expect(counts).toMatchObject({ 'not checked': 1, 'payouts corrected': 1 });
  expect(failures).toMatchObject([{ stage: 'payouts' }]);
  expect(await findings()).toMatchObject([{ kind: 'cursor_circle', list: 'payouts' }]);
  circle.heal();
  expect(await reconcile(app())).toMatchObject({ openDiscrepancies: 0, failures: [] });
});

test('recovery lists what it can read, names what it cannot, and ends where cursors form a circle', async () => {
  const [payout] = await payoutsOf(world, await paid(24));
  const lie = onHold(String(payout?.uuid));
  const circle = inCircles('findInternalTransfers', 'limit=');
  const unlisted: unknown[] = [];
  const orphans: unknown[] = [];
  for await (const orphan of listOrphans(app(), { onUnlisted: (one) => unlisted.push(one) }))
    orphans.push(orphan);
  expect(orphans).toEqual([]);
  expect(unlisted).toMatchObject([
    { list: 'transfers', providerRef: null, why: expect.stringContaining('circle') as string },
    { list: 'payouts', providerRef: payout?.uuid },
  ]);
  circle.heal();
  lie.heal();
});

async function paid(amountBrl: number): Promise<string> {
  const id = await pay(ada, await quote(ada, amountBrl));
  await reaches(ada, id, 'completed');
  return id;
}

/** Shows the payout everywhere with a status that is not in the contract. */
const onHold = (uuid: string) =>
  proxy.lie({ about: uuid, change: (truth) => ({ ...truth, status: 'ON_HOLD' }) });

/** Makes every page of the list lead to a page that was there before. */
function inCircles(operation: 'listMovements' | 'findPayouts' | 'findInternalTransfers', about: string) {
  return proxy.rewrite((call, { status, body }) => {
    if (call.operation !== operation || !call.text.includes(about)) return { status, body };
    const { results } = body as { results: WireObject[] };
    return { status, body: { results, next: results.at(-1)?.['uuid'] ?? cursorIn(call.text) } };
  });
}

const cursorIn = (text: string): string => /after=([^&\s]+)/.exec(text)?.[1] ?? 'none';

const findings = () =>
  byTable(app().db).selectFrom('list_findings').selectAll().orderBy('found_at').execute();

const cursorOf = async ({ userId }: Person): Promise<string | null> => {
  const { movements_cursor: cursor } = await byTable(app().db)
    .selectFrom('provider_accounts')
    .select('movements_cursor')
    .where('user_id', '=', userId)
    .where('currency', '=', 'GBP')
    .executeTakeFirstOrThrow();
  return cursor;
};

const depositsOf = async (amount: number): Promise<number> =>
  must(await ada.api.GET('/transactions', { params: { query: { limit: 1000 } } })).filter(
    ({ type, sourceAmount }) => type === 'deposit' && sourceAmount === amount,
  ).length;

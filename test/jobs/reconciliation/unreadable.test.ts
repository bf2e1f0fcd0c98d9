// Objects in the provider's lists that cannot be read. Each is recorded, is fetched again every night, and hides no other object.
import { sql } from 'kysely';
import { expect } from 'vitest';
import { listOrphans } from '../../../ops/recovery/recovery.ts';
import { reconcile } from '../../../src/jobs/reconcile-by-hand.ts';
import { opsHere, opsJson } from '../../ops/support.ts';
import { byTable } from '../../support/by-table.ts';
import { must, type Person, pay, quote, reaches, verified } from '../../support/person.ts';
import { depositWithoutCallback, refundWithoutCallback } from '../../support/unannounced.ts';
import { accountRefOf, payoutsOf } from '../../support/upstream.ts';
import type { UpstreamProxy, WireObject } from '../../support/upstream-proxy.ts';
import { useWorld } from '../../support/use-world.ts';
import type { World } from '../../support/world.ts';

const app = (world: World) => world.service.app;

const test = useWorld({ deposit: '5000.00' });
test.beforeEach(async ({ world }) => {
  await byTable(app(world).db).updateTable('provider_accounts').set({ movements_cursor: null }).execute();
  await byTable(app(world).db).deleteFrom('list_findings').execute();
});

test('a payout of an unknown status hides no other payout, and is applied once it can be read', async ({
  world,
  proxy,
  ada,
}) => {
  const [first, second] = [await paid(ada, 20), await paid(ada, 21)];
  const [unreadable] = await payoutsOf(world, first);
  const lie = onHold(proxy, String(unreadable?.uuid));
  await refundWithoutCallback(world, unreadable?.uuid);
  await refundWithoutCallback(world, (await payoutsOf(world, second))[0]?.uuid);
  await depositWithoutCallback(ada, '12.34');

  const { counts, failures, openDiscrepancies } = await reconcile(app(world));
  expect(failures).toEqual([]);
  expect(counts).toMatchObject({ 'payouts corrected': 1, 'deposits recorded': 1, 'objects unreadable': 1 });
  expect(openDiscrepancies).toBe(1);
  await reaches(ada, second, 'manual_review');
  expect(await findings(world)).toMatchObject([
    {
      kind: 'unreadable',
      list: 'payouts',
      account_ref: null,
      provider_ref: unreadable?.uuid,
      reason: 'status must be equal to one of the allowed values',
      resolved_at: null,
    },
  ]);

  const { out } = await opsHere(app(world), ['discrepancies']);
  expect(out).toMatch(new RegExp(`unreadable +payouts .*${unreadable?.uuid}`));

  expect((await reconcile(app(world))).counts).toMatchObject({ 'objects still unreadable': 1 });
  expect(await findings(world)).toHaveLength(1);

  lie.heal();
  expect((await reconcile(app(world))).openDiscrepancies).toBe(0);
  await reaches(ada, first, 'manual_review');
  expect(await findings(world)).toMatchObject([{ resolution: expect.stringContaining('read') as string }]);
});

test('a payout that only lists show unreadable is fetched by its uuid in the same run', async ({
  world,
  proxy,
  ada,
}) => {
  const id = await paid(ada, 25);
  const [payout] = await payoutsOf(world, id);
  const lie = proxy.lie({
    operation: 'findPayouts',
    about: String(payout?.uuid),
    change: (truth) => ({ ...truth, status: 'ON_HOLD' }),
  });
  await refundWithoutCallback(world, payout?.uuid);
  expect(await reconcile(app(world))).toMatchObject({
    counts: { 'objects unreadable': 1, 'payouts corrected': 1 },
    failures: [],
    openDiscrepancies: 0,
  });
  await reaches(ada, id, 'manual_review');
  lie.heal();
});

test('an unreadable payout stays open while it can be read and not applied', async ({
  world,
  proxy,
  ada,
}) => {
  const id = await paid(ada, 27);
  const [payout] = await payoutsOf(world, id);
  const lie = onHold(proxy, String(payout?.uuid));
  await refundWithoutCallback(world, payout?.uuid);
  await reconcile(app(world));
  lie.heal();
  const lists = proxy.lie({
    operation: 'findPayouts',
    about: String(payout?.uuid),
    change: (truth) => ({ ...truth, status: 'ON_HOLD' }),
  });
  const { db } = app(world);
  await sql`alter table pix_payments add constraint broken check (state <> 'manual_review') not valid`.execute(
    db,
  );
  await reconcile(app(world));
  await sql`alter table pix_payments drop constraint broken`.execute(db);
  expect(await findings(world)).toMatchObject([{ provider_ref: payout?.uuid, resolved_at: null }]);
  await reconcile(app(world));
  await reaches(ada, id, 'manual_review');
  lists.heal();
});

test('an unreadable payout that the provider answers with 404 stays open, because a wrong company id answers 404 for every object', async ({
  world,
  proxy,
  ada,
}) => {
  const [payout] = await payoutsOf(world, await paid(ada, 26));
  const lie = onHold(proxy, String(payout?.uuid));
  await reconcile(app(world));
  const gone = proxy.spoil({
    operation: 'getPayout',
    spoilt: { status: 404 },
    forwarded: false,
    about: String(payout?.uuid),
    times: 1_000,
  });
  expect((await reconcile(app(world))).counts).toMatchObject({ 'objects still unreadable': 1 });
  expect(gone.hits()).toBeGreaterThan(0);
  expect(await findings(world)).toMatchObject([{ provider_ref: payout?.uuid, resolved_at: null }]);
  gone.heal();
  lie.heal();
  expect((await reconcile(app(world))).openDiscrepancies).toBe(0);
});

test('an unreadable payout that an operator has closed is neither fetched nor reported again', async ({
  world,
  proxy,
  ada,
}) => {
  const [payout] = await payoutsOf(world, await paid(ada, 22));
  const lie = onHold(proxy, String(payout?.uuid));
  await reconcile(app(world));
  const [finding] = await findings(world);
  const reason = 'the provider has removed it, ticket 1';
  const resolve = ['discrepancies', 'resolve', String(finding?.id), '--reason', reason];
  expect(await opsJson(world, ...resolve)).toMatchObject({ changed: true });
  const before = proxy.count('getPayout', payout?.uuid);
  expect(await reconcile(app(world))).toMatchObject({ openDiscrepancies: 0 });
  expect(proxy.count('getPayout', payout?.uuid)).toBe(before);
  expect(await findings(world)).toMatchObject([{ resolution: reason }]);
  lie.heal();
});

test('a movement of an unknown kind hides no deposit, and is recorded as one once it can be read', async ({
  world,
  proxy,
  ada,
}) => {
  const lie = proxy.lie({ about: '"40.01"', change: (truth) => ({ ...truth, kind: 'GIFT' }) });
  await depositWithoutCallback(ada, '40.01');
  await depositWithoutCallback(ada, '40.02');
  const { counts, failures } = await reconcile(app(world));
  expect(failures).toEqual([]);
  expect(counts).toMatchObject({ 'deposits recorded': 1, 'objects unreadable': 1 });
  expect(await findings(world)).toMatchObject([
    { list: 'movements', account_ref: await accountRefOf(world, ada.userId, 'GBP') },
  ]);
  lie.heal();
  expect((await reconcile(app(world))).counts['deposits recorded']).toBe(1);
  expect(await depositsOf(ada, 4_001)).toBe(1);
});

test('a movement without a uuid stops the cursor of its account until an operator closes it', async ({
  world,
  proxy,
  ada,
}) => {
  await reconcile(app(world));
  const cursor = await cursorOf(world, ada);
  const lie = proxy.lie({ about: '"50.01"', change: ({ uuid: _gone, ...truth }) => truth });
  await depositWithoutCallback(ada, '50.01');
  await depositWithoutCallback(ada, '50.02');
  expect((await reconcile(app(world))).counts).toMatchObject({
    'deposits recorded': 1,
    'objects unreadable': 1,
  });
  expect(await cursorOf(world, ada)).toBe(cursor);
  const [finding] = await findings(world);
  expect(finding).toMatchObject({ provider_ref: null, position: cursor });
  expect((await reconcile(app(world))).counts).toMatchObject({ 'movements scanned': 1 });
  expect(await findings(world)).toHaveLength(1);

  await opsJson(world, 'discrepancies', 'resolve', String(finding?.id), '--reason', 'ticket 2');
  await reconcile(app(world));
  expect(await cursorOf(world, ada)).not.toBe(cursor);
  lie.heal();
});

test('a movement without a uuid is recorded once it has one', async ({ world, proxy, ada }) => {
  await reconcile(app(world));
  const lie = proxy.lie({ about: '"51.01"', change: ({ uuid: _gone, ...truth }) => truth });
  await depositWithoutCallback(ada, '51.01');
  expect(await reconcile(app(world))).toMatchObject({ openDiscrepancies: 1 });
  lie.heal();
  expect(await reconcile(app(world))).toMatchObject({
    counts: { 'deposits recorded': 1 },
    openDiscrepancies: 0,
  });
});

test('a list of movements whose cursors form a circle ends with a finding', async ({ world, proxy, ada }) => {
  const bob = await verified(world, { deposit: '30.00' });
  await depositWithoutCallback(bob, '30.01');
  const ref = await accountRefOf(world, ada.userId, 'GBP');
  const circle = inCircles(proxy, 'listMovements', ref);
  const before = proxy.count('listMovements', ref);
  const { counts, failures } = await reconcile(app(world));
  expect(proxy.count('listMovements', ref) - before).toBeLessThan(10);
  expect(failures).toMatchObject([{ stage: 'deposits' }]);
  expect(counts).toMatchObject({ 'not checked': 1, 'deposits recorded': 1 });
  expect(await findings(world)).toMatchObject([
    { kind: 'cursor_circle', list: 'movements', account_ref: ref },
  ]);
  circle.heal();
  expect(await reconcile(app(world))).toMatchObject({ openDiscrepancies: 0, failures: [] });
});

test('a list of payouts whose cursors form a circle ends with a finding, and its payouts are applied', async ({
  world,
  proxy,
  ada,
}) => {
  const id = await paid(ada, 23);
  await refundWithoutCallback(world, (await payoutsOf(world, id))[0]?.uuid);
  const circle = inCircles(proxy, 'findPayouts', 'limit=');
  const before = proxy.count('findPayouts', 'limit=');
  const { counts, failures } = await reconcile(app(world));
  expect(proxy.count('findPayouts', 'limit=') - before).toBeLessThan(10);
  expect(counts).toMatchObject({ 'not checked': 1, 'payouts corrected': 1 });
  expect(failures).toMatchObject([{ stage: 'payouts' }]);
  expect(await findings(world)).toMatchObject([{ kind: 'cursor_circle', list: 'payouts' }]);
  circle.heal();
  expect(await reconcile(app(world))).toMatchObject({ openDiscrepancies: 0, failures: [] });
});

test('recovery lists what it can read, names what it cannot, and ends where cursors form a circle', async ({
  world,
  proxy,
  ada,
}) => {
  const [payout] = await payoutsOf(world, await paid(ada, 24));
  const lie = onHold(proxy, String(payout?.uuid));
  const circle = inCircles(proxy, 'findInternalTransfers', 'limit=');
  const unlisted: unknown[] = [];
  const orphans: unknown[] = [];
  for await (const orphan of listOrphans(app(world), { onUnlisted: (one) => unlisted.push(one) }))
    orphans.push(orphan);
  expect(orphans).toEqual([]);
  expect(unlisted).toMatchObject([
    { list: 'transfers', providerRef: null, why: expect.stringContaining('circle') as string },
    { list: 'payouts', providerRef: payout?.uuid },
  ]);
  circle.heal();
  lie.heal();
});

async function paid(ada: Person, amountBrl: number): Promise<string> {
  const id = await pay(ada, await quote(ada, amountBrl));
  await reaches(ada, id, 'completed');
  return id;
}

/** Shows the payout everywhere with a status that is not in the contract. */
const onHold = (proxy: UpstreamProxy, uuid: string) =>
  proxy.lie({ about: uuid, change: (truth) => ({ ...truth, status: 'ON_HOLD' }) });

/** Makes every page of the list lead to a page that was there before. */
function inCircles(
  proxy: UpstreamProxy,
  operation: 'listMovements' | 'findPayouts' | 'findInternalTransfers',
  about: string,
) {
  return proxy.rewrite((call, { status, body }) => {
    if (call.operation !== operation || !call.text.includes(about)) return { status, body };
    const { results } = body as { results: WireObject[] };
    return { status, body: { results, next: results.at(-1)?.['uuid'] ?? cursorIn(call.text) } };
  });
}

const cursorIn = (text: string): string => /after=([^&\s]+)/.exec(text)?.[1] ?? 'none';

const findings = (world: World) =>
  byTable(app(world).db).selectFrom('list_findings').selectAll().orderBy('found_at').execute();

const cursorOf = async (world: World, { userId }: Person): Promise<string | null> => {
  const { movements_cursor: cursor } = await byTable(app(world).db)
    .selectFrom('provider_accounts')
    .select('movements_cursor')
    .where('user_id', '=', userId)
    .where('currency', '=', 'GBP')
    .executeTakeFirstOrThrow();
  return cursor;
};

const depositsOf = async (ada: Person, amount: number): Promise<number> =>
  must(await ada.api.GET('/transactions', { params: { query: { limit: 1000 } } })).filter(
    ({ type, sourceAmount }) => type === 'deposit' && sourceAmount === amount,
  ).length;

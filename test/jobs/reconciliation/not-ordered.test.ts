// Payouts and conversions that leave a user's account at the provider although no row here ordered them. Operators see them as
// discrepancies.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { adopt, listOrphans, type Orphan } from '../../../ops/recovery/recovery.ts';
import { handleFor } from '../../../src/domain/handles.ts';
import { newId } from '../../../src/domain/ids.ts';
import { required } from '../../../src/domain/required.ts';
import { reconcile } from '../../../src/jobs/reconcile-by-hand.ts';
import { HAS_ROW } from '../../../src/jobs/reconciliation/resolve-discrepancies.ts';
import { countBacklog } from '../../../src/metrics/backlog.ts';
import { opsHere } from '../../ops/support.ts';
import { byTable } from '../../support/by-table.ts';
import { valueOf } from '../../support/metrics.ts';
import { type Person, pay, quote, reaches } from '../../support/person.ts';
import { accountRefOf } from '../../support/upstream.ts';
import { useWorld } from '../../support/use-world.ts';

const { world, ada, app } = useWorld({ deposit: '500.00' });
beforeAll(async () => {
  await reaches(ada, await pay(ada, await quote(ada, 20)), 'completed');
});

test('a payout that no row here ordered is recorded as one discrepancy, with a gauge', async () => {
  const payout = await strangePayout(randomUUID(), 1_234);
  for (let night = 0; night < 2; night += 1)
    expect(await reconcile(app())).toMatchObject({
      counts: { 'payouts without a row here': 1 },
      openDiscrepancies: 1,
    });
  const [account] = await accountsOf(ada);
  expect(await discrepanciesAbout(payout.providerRef)).toMatchObject([
    {
      kind: 'not_ordered',
      user_id: ada.userId,
      subject_kind: 'provider_account',
      subject_id: account?.id,
      event_data: { amountMinor: 1_234, currency: 'GBP' },
      resolved_at: null,
    },
  ]);
  const metrics = await countBacklog(app().db, world.clock.now());
  expect(await valueOf(metrics, 'ponte_discrepancies{kind="not_ordered"}')).toBe(1);
  expect(await valueOf(metrics, 'ponte_waiting_money{reason="not_ordered",currency="GBP"}')).toBe(12.34);
  const later = await countBacklog(app().db, new Date(world.clock.now().getTime() + 86_400_000));
  const age = await valueOf(later, 'ponte_oldest_discrepancy_age_seconds{kind="not_ordered"}');
  expect(age).toBeGreaterThanOrEqual(86_000);
  const { out } = await opsHere(app(), ['discrepancies']);
  expect(out).toMatch(new RegExp(`not_ordered +provider_account ${account?.id}.*${payout.providerRef}`));
});

test('a conversion that no row here ordered is a discrepancy', async () => {
  const { provider } = app();
  const [home, brl] = [
    await accountRefOf(world, ada.userId, 'GBP'),
    await accountRefOf(world, ada.userId, 'BRL'),
  ];
  const priced = await provider.createQuote({
    sourceCurrency: 'GBP',
    destinationCurrency: 'BRL',
    sourceAmountMinor: 1_000,
  });
  const transfer = await provider.createTransfer({
    handle: 'not one of our handles',
    quoteRef: priced.providerRef,
    sourceAccountRef: home,
    destinationAccountRef: brl,
  });
  await reconcile(app());
  expect(await discrepanciesAbout(transfer.providerRef)).toMatchObject([{ kind: 'not_ordered' }]);
});

test('a payout is not a discrepancy if it belongs to an unfinished row that has not sent it yet', async () => {
  const id = await pay(ada, await quote(ada, 21));
  await reaches(ada, id, 'completed');
  // Sets the payment back, as a restored backup does: it has not reached its payout.
  await sql`update pix_payments set state = 'converting.direct' where id = ${id}`.execute(app().db);
  const handle = handleFor(id, 'payout');
  const { provider_ref: ref } = await byTable(app().db)
    .deleteFrom('provider_resources')
    .where('handle', '=', handle)
    .returning('provider_ref')
    .executeTakeFirstOrThrow();
  await reconcile(app());
  expect(await discrepanciesAbout(String(ref))).toEqual([]);
  const { provider } = app();
  const listPayouts: typeof provider.listPayouts = async (request) => {
    const page = await provider.listPayouts(request);
    const items = page.items.map(({ snapshot, ...item }) => ({
      ...item,
      snapshot: { ...snapshot, handle: snapshot.handle.toUpperCase() },
    }));
    return { ...page, items };
  };
  await reconcile({ ...app(), provider: { ...provider, listPayouts } });
  const orphans = await orphansNow();
  expect(orphans.map(({ providerRef }) => providerRef)).not.toContain(ref);
  expect(await discrepanciesAbout(String(ref))).toEqual([]);
});

test('a pending withdrawal that recovery adopts is polled and not paid again', async () => {
  const { provider } = app();
  const payout = await strangePayout(randomUUID(), 2_345);
  const getPayout: typeof provider.getPayout = async (ref) => ({
    ...(await provider.getPayout(ref)),
    status: 'pending',
  });
  const orphans = await orphansNow();
  const orphan = required(
    orphans.find(({ providerRef }) => providerRef === payout.providerRef),
    'the orphan',
  );
  const services = { ...app(), provider: { ...provider, getPayout } };
  const adopted = await adopt(services, orphan, { kind: 'operator', id: 'ops' });
  expect(adopted).toMatchObject({ state: 'settling', why: null });
  const effects = byTable(app().db).selectFrom('effects').select('id');
  expect(await effects.where('subject_id', '=', String(adopted.id)).execute()).toEqual([]);
  const resource = byTable(app().db)
    .selectFrom('provider_resources')
    .select('poll_count')
    .where('subject_id', '=', String(adopted.id))
    .where((is) => is.or([is('next_poll_at', 'is not', null), is('poll_count', '>', 0)]));
  expect(await resource.execute()).toHaveLength(1);
});

test('a payout that now has a row is no longer a discrepancy', async () => {
  const payout = await strangePayout(randomUUID(), 4_321);
  await reconcile(app());
  const [account] = await accountsOf(ada);
  await byTable(app().db)
    .insertInto('provider_resources')
    .values({
      handle: payout.handle,
      user_id: ada.userId,
      kind: 'payout',
      subject_kind: 'withdraw',
      subject_id: newId(),
      provider_ref: payout.providerRef,
      poll_count: 0,
      created_at: new Date(),
    })
    .execute();
  expect(account).toBeDefined();
  await reconcile(app());
  expect(await discrepanciesAbout(payout.providerRef)).toMatchObject([{ resolution: HAS_ROW }]);
});

async function orphansNow(): Promise<Orphan[]> {
  const orphans: Orphan[] = [];
  for await (const orphan of listOrphans(app())) orphans.push(orphan);
  return orphans;
}

async function strangePayout(handle: string, amountMinor: number) {
  return app().provider.createPayout({
    handle,
    sourceAccountRef: await accountRefOf(world, ada.userId, 'GBP'),
    amountMinor,
    currency: 'GBP',
    destination: {
      rail: 'FPS',
      details: {
        currency: 'GBP',
        accountHolderName: 'Nobody',
        accountNumber: '12345678',
        sortCode: '12-34-56',
      },
    },
  });
}

const accountsOf = ({ userId }: Person) =>
  byTable(app().db)
    .selectFrom('provider_accounts')
    .select('id')
    .where('user_id', '=', userId)
    .where('currency', '=', 'GBP')
    .execute();

const discrepanciesAbout = (ref: string) =>
  byTable(app().db).selectFrom('discrepancies').selectAll().where('provider_ref', '=', ref).execute();

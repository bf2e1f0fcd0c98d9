// The provider has two objects under one of our handles. The second object decides nothing and is recorded as a discrepancy.
// Until an operator has chosen one, no failure is applied and nothing is paid again.
import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { handleFor } from '../../src/domain/handles.ts';
import { reconcile } from '../../src/jobs/reconcile-by-hand.ts';
import { applyReported } from '../../src/reports/apply-reported.ts';
import { refetch } from '../../src/reports/poll-resource.ts';
import { hasUnresolvedTwin } from '../../src/reports/twins.ts';
import { auditOf, opsHere } from '../ops/support.ts';
import { byTable } from '../support/by-table.ts';
import { waitingForLocks } from '../support/locks.ts';
import { must, type Person, pay, quote, reaches, refusalIn, signUp } from '../support/person.ts';
import { until } from '../support/until.ts';
import { payoutsOf } from '../support/upstream.ts';
import type { UpstreamProxy } from '../support/upstream-proxy.ts';
import { useWorld } from '../support/use-world.ts';

type Payout = Awaited<ReturnType<typeof payoutsOf>>[number];

let lies: { heal: () => void }[] = [];

const why = ['--reason', 'their support named it, ticket 4717'];
const follow = (uuid: string) => opsHere(world.service.app, ['discrepancies', 'follow', uuid, ...why]);

const { world, proxy, ada, db } = useWorld({ proxy: true, deposit: '2000.00' });
afterEach(() => {
  for (const lie of lies) lie.heal();
  lies = [];
});

test('a twin that a callback names is recorded, and nothing of it is applied', async () => {
  const { id, payout } = await paid('slow', 'paying');
  const twin = giveTwin(payout);
  await announce(twin);
  await untilTwin(id);
  expect(await discrepanciesOf(id)).toMatchObject([
    {
      kind: 'twin',
      provider_ref: twin.uuid,
      event: 'off-ramp.completed',
      event_data: { amountMinor: 1_000, endToEndId: twin.end_to_end_id },
      state: 'paying',
      resolved_at: null,
    },
  ]);
  expect(await followedFor(id)).toBe(payout.uuid);
  expect(await hasUnresolvedTwin(db(), { handle: payout.origin_id, userId: ada.userId })).toBe(true);
  expect(await reaches(ada, id, 'paying')).toMatchObject({ endToEndId: null });
  const { out } = await opsHere(world.service.app, ['discrepancies']);
  expect(out).toContain(twin.uuid);
});

test('a twin that a look-up by the handle returns is recorded, and the first object is followed', async () => {
  const about = '"amount":"11.00"';
  const isTwin: Payout[] = [];
  lie(({ operation }, reply) => {
    const { results = [], ...page } = reply.body as { results?: Payout[] };
    const [first] = results;
    if (operation !== 'findPayouts' || first?.amount !== '11.00') return reply;
    isTwin[0] ??= { ...first, uuid: randomUUID(), end_to_end_id: 'E-TWIN', status: 'COMPLETED' };
    return { ...reply, body: { ...page, results: [first, isTwin[0]] } };
  });
  proxy.spoil({ operation: 'createPayout', spoilt: 'drop', forwarded: true, silent: true, about });
  const id = await pay(ada, await quote(ada, 11));
  await untilTwin(id);
  const [payout] = await payoutsOf(world, id);
  expect(await followedFor(id)).toBe(payout?.uuid);
  expect((await discrepanciesOf(id))[0]?.provider_ref).toBe(isTwin[0]?.uuid);
  expect((await reaches(ada, id, 'completed')).endToEndId).toBe(payout?.end_to_end_id);
});

test('a twin in a list of the provider is found by a reconciliation, once', async () => {
  const { id, payout } = await paid('joana', 'completed');
  // The list shows the same figures and the same time for both.
  const twin = giveTwin(payout, {
    end_to_end_id: payout.end_to_end_id,
    updated_at: payout.updated_at,
  });
  expect((await reconcile(world.service.app)).counts).toMatchObject({ 'payouts that are twins': 1 });
  await reconcile(world.service.app);
  expect(await discrepanciesOf(id)).toMatchObject([{ kind: 'twin', provider_ref: twin.uuid }]);
  expect(await followedFor(id)).toBe(payout.uuid);
});

test('while a twin is unresolved, a success of the followed object is applied', async () => {
  const { id, payout } = await paid('slow', 'paying');
  const twin = giveTwin(payout);
  await announce(twin);
  await untilTwin(id);
  says(payout, { status: 'COMPLETED', end_to_end_id: 'E-OURS' });
  await refetchPayout(id);
  expect((await reaches(ada, id, 'completed')).endToEndId).toBe('E-OURS');
});

test.for(['FAILED', 'ERROR', 'REFUNDED'] as const)(
  'while a twin is unresolved, the status %s of the followed object is not applied',
  async (status) => {
    const { id, payout } = await paid('slow', 'paying');
    await announce(giveTwin(payout));
    await untilTwin(id);
    says(payout, { status });
    expect(await refetchPayout(id)).toBe('blocked');
    expect(await refetchPayout(id)).toBe('blocked');
    await reaches(ada, id, 'paying');
    expect((await resourceOf(id)).nextPollAt).not.toBeNull();
  },
);

test('while a twin is unresolved, a failed conversion does not fail the payment', async () => {
  const id = await pay(ada, await quote(ada, 9.99));
  const handle = handleFor(id, 'conversion-direct');
  const resource = await until(
    () =>
      byTable(db())
        .selectFrom('provider_resources')
        .selectAll()
        .where('handle', '=', handle)
        .executeTakeFirst(),
    (found) => typeof found?.provider_ref === 'string',
  );
  const { provider, ...app } = world.service.app;
  const transfer = await provider.getTransfer(resource?.provider_ref ?? '');
  const later = new Date(transfer.updatedAt.getTime() + 1);
  const cause = { kind: 'job', id: 'test' } as const;
  const twin = { ...transfer, providerRef: randomUUID(), status: 'completed' } as const;
  const before = await balanceVersionOf(ada);
  expect(await applyReported(app, twin, cause)).toBe('twin');
  expect(await balanceVersionOf(ada)).not.toBe(before);
  expect(await applyReported(app, { ...transfer, status: 'failed', updatedAt: later }, cause)).toBe(
    'blocked',
  );
  await reaches(ada, id, 'converting');
});

test('while a twin is unresolved, neither the user nor an operator can retry a failed payout', async () => {
  const { id, payout } = await paid('recover', 'payout_failed');
  await announce(giveTwin(payout));
  await untilTwin(id);
  const retried = await ada.api.POST('/pix/payments/{id}/retry', { params: { path: { id } } });
  expect(refusalIn(retried)).toEqual([409, 'not_retryable']);
  expect(await opsHere(world.service.app, ['payments', 'retry-payout', id, ...why])).toMatchObject({
    code: 1,
    err: /ends by discrepancies follow/,
  });

  expect((await follow(payout.uuid)).out).toMatch(/^Done\. The object is followed as before/);
  must(await ada.api.POST('/pix/payments/{id}/retry', { params: { path: { id } } }));
  await reaches(ada, id, 'completed');
});

test('a retry that was in progress when a twin was found waits for the operator’s choice', async () => {
  const { id, payout } = await paid('recover', 'payout_failed');
  const refused = proxy.spoil({
    operation: 'reissuePayout',
    spoilt: { status: 503 },
    forwarded: false,
    about: payout.uuid,
    times: 1_000,
  });
  must(await ada.api.POST('/pix/payments/{id}/retry', { params: { path: { id } } }));
  await until(
    async () => refused.hits(),
    (hits) => hits > 0,
  );
  await announce(giveTwin(payout));
  await untilTwin(id);
  refused.heal();
  const waits = byTable(db())
    .selectFrom('effects')
    .select('last_error')
    .where('subject_id', '=', id)
    .where('status', '=', 'queued');
  await until(
    () => waits.execute(),
    ([effect]) => /a twin at the provider is unresolved/.test(effect?.last_error ?? ''),
  );
  expect(await payoutsOf(world, id)).toMatchObject([{ status: 'FAILED', attempt: 1 }]);

  expect((await follow(payout.uuid)).code).toBe(0);
  await reaches(ada, id, 'completed');
  expect(await payoutsOf(world, id)).toMatchObject([{ status: 'COMPLETED', attempt: 2 }]);
});

test('choosing the followed object applies its blocked snapshot and sets the twin aside permanently', async () => {
  const { id, payout } = await paid('slow', 'paying');
  const twin = giveTwin(payout);
  await announce(twin);
  await untilTwin(id);
  says(payout, { status: 'FAILED' });
  expect(await refetchPayout(id)).toBe('blocked');

  const before = await balanceVersionOf(ada);
  expect((await follow(payout.uuid)).out).toBe(
    'Done. The object is followed as before; the others are set aside. Its present state is applied.\n',
  );
  expect(await balanceVersionOf(ada)).not.toBe(before);
  await reaches(ada, id, 'payout_failed');
  expect(await discrepanciesOf(id)).toMatchObject([
    { provider_ref: twin.uuid, resolution: 'their support named it, ticket 4717' },
  ]);
  expect(await auditOf(world, payout.uuid)).toMatchObject([
    { action: 'operator.discrepancies follow', user_id: ada.userId },
  ]);
  await reconcile(world.service.app);
  expect(await hasUnresolvedTwin(db(), { handle: payout.origin_id, userId: ada.userId })).toBe(false);
  expect((await follow(payout.uuid)).out).toMatch(/^Nothing changed/);
});

test('choosing the twin follows it and sets the former object aside permanently', async () => {
  const { id, payout } = await paid('slow', 'paying');
  const twin = giveTwin(payout);
  await announce(twin);
  await untilTwin(id);
  says(payout, { status: 'FAILED' });
  expect(await refetchPayout(id)).toBe('blocked');

  expect((await follow(twin.uuid)).out).toMatch(/^Done\. The object is followed from now on/);
  expect((await reaches(ada, id, 'completed')).endToEndId).toBe(twin.end_to_end_id);
  expect(await followedFor(id)).toBe(twin.uuid);
  const { counts } = await reconcile(world.service.app);
  expect(counts).toMatchObject({ 'payouts that are twins': 1 });
  expect(await hasUnresolvedTwin(db(), { handle: payout.origin_id, userId: ada.userId })).toBe(false);
  const caused = byTable(db()).selectFrom('transitions').select('cause_kind').where('subject_id', '=', id);
  expect(await caused.where('event', '=', 'off-ramp.completed').execute()).toEqual([
    { cause_kind: 'operator' },
  ]);
});

test('choosing an object whose time moved back applies its current snapshot', async () => {
  const { id, payout } = await paid('slow', 'paying');
  says(payout, { status: 'COMPLETED', updated_at: '2026-01-01T00:00:00.000Z' });
  expect(await refetchPayout(id)).toBe('refused');
  expect(await discrepanciesOf(id)).toMatchObject([{ kind: 'clock_stepped_back', resolved_at: null }]);
  expect((await follow(payout.uuid)).code).toBe(0);
  await reaches(ada, id, 'completed');
  expect(await discrepanciesOf(id)).toMatchObject([
    { kind: 'clock_stepped_back', resolved_at: expect.any(Date) },
  ]);
});

test('an object that is final and whose time moved back is polled again', async () => {
  const { id, payout } = await paid('joana', 'completed');
  await until(
    () => resourceOf(id),
    ({ nextPollAt }) => nextPollAt === null,
  );
  says(payout, { status: 'REFUNDED', updated_at: '2026-01-01T00:00:00.000Z' });
  expect(await refetchPayout(id)).toBe('refused');
  expect((await resourceOf(id)).nextPollAt).not.toBeNull();
});

test('a choice changes nothing if another operator has chosen meanwhile', async () => {
  const { id, payout } = await paid('slow', 'paying');
  const twin = giveTwin(payout);
  await announce(twin);
  await untilTwin(id);
  const other = new Client({ connectionString: world.databaseUrl });
  await other.connect();
  const chosen = randomUUID();
  try {
    await other.query('begin');
    await other.query('select from users where id = $1 for no key update', [ada.userId]);
    const late = follow(twin.uuid);
    await until(
      () => waitingForLocks(world.databaseUrl),
      (waiting) => waiting > 0,
    );
    await other.query('update provider_resources set provider_ref = $1 where handle = $2', [
      chosen,
      payout.origin_id,
    ]);
    await other.query('commit');
    expect(await late).toMatchObject({ code: 1, err: /Another operator has chosen meanwhile/ });
  } finally {
    await other.end();
  }
  expect(await followedFor(id)).toBe(chosen);
  expect(await hasUnresolvedTwin(db(), { handle: payout.origin_id, userId: ada.userId })).toBe(true);
});

test('a choice changes nothing if the provider does not answer or the uuid is unknown', async () => {
  const { id, payout } = await paid('slow', 'paying');
  const twin = giveTwin(payout);
  await announce(twin);
  await untilTwin(id);
  const elsewhere = proxy.rewrite(({ operation, text }, reply) =>
    operation === 'getPayout' && text.includes(twin.uuid)
      ? { status: 200, body: { ...twin, origin_id: randomUUID() } }
      : reply,
  );
  expect(await follow(twin.uuid)).toMatchObject({ code: 1, err: /No row here follows/ });
  elsewhere.heal();
  lies.push(
    proxy.spoil({
      operation: 'getPayout',
      spoilt: { status: 503 },
      forwarded: false,
      about: twin.uuid,
      times: 1_000,
    }),
  );
  expect(await follow(twin.uuid)).toMatchObject({ code: 1, err: /does not say what it is now/ });
  expect(await followedFor(id)).toBe(payout.uuid);
  expect(await follow(randomUUID())).toMatchObject({ code: 1, err: /Nothing here follows/ });
  expect(await hasUnresolvedTwin(db(), { handle: payout.origin_id, userId: ada.userId })).toBe(true);
});

describe('an owner', () => {
  const cause = { kind: 'job', id: 'test' } as const;

  test('the owner of a user without accounts may be replaced', async () => {
    const bob = await signUp(world);
    must(await bob.api.POST('/kyc/start', {}));
    const { provider, ...app } = world.service.app;
    const owner = await provider.findOwner(handleFor(bob.userId, 'owner'));
    if (!owner) throw new Error('no owner');
    const another = { ...owner, providerRef: randomUUID(), updatedAt: new Date(0) };
    expect(await applyReported(app, another, cause)).toBe('nothing_new');
    const { provider_ref } = await ownerOf(bob);
    expect(provider_ref).toBe(another.providerRef);
  });

  test('the owner of a user with accounts is followed permanently', async () => {
    const { provider, ...app } = world.service.app;
    const { provider_ref: providerRef } = await ownerOf(ada);
    const owner = await provider.getOwner(providerRef ?? '');
    expect(await applyReported(app, { ...owner, providerRef: randomUUID() }, cause)).toBe('twin');
    expect((await ownerOf(ada)).provider_ref).toBe(providerRef);
  });
});

const ownerOf = ({ userId }: Person) =>
  byTable(db())
    .selectFrom('provider_resources')
    .select('provider_ref')
    .where('user_id', '=', userId)
    .where('kind', '=', 'owner')
    .executeTakeFirstOrThrow();

type Rewrite = Parameters<UpstreamProxy['rewrite']>[0];

const lie = (change: Rewrite): void => void lies.push(proxy.rewrite(change));

async function paid(
  key: string,
  status: 'paying' | 'payout_failed' | 'completed',
): Promise<{ id: string; payout: Payout }> {
  const to = { pixKey: `${key}@pix.example`, pixKeyType: 'email' } as const;
  const id = await pay(ada, await quote(ada, 10), to);
  await reaches(ada, id, status);
  await until(
    () => resourceOf(id).catch(() => null),
    (resource) => typeof resource?.providerRef === 'string',
  );
  const [payout] = await payoutsOf(world, id);
  if (!payout) throw new Error('no payout');
  return { id, payout };
}

/** From now on, the provider has a second payout under the same handle, which is completed. */
function giveTwin(payout: Payout, same: Partial<Payout> = {}): Payout {
  const twin: Payout = {
    ...payout,
    uuid: randomUUID(),
    status: 'COMPLETED',
    end_to_end_id: `E-TWIN-${payout.uuid.slice(-12)}`,
    failure_reason: null,
    updated_at: new Date(Date.parse(payout.updated_at) + 1).toISOString(),
    ...same,
  };
  lie(({ operation, text }, reply) => {
    if (operation === 'getPayout' && text.includes(twin.uuid)) return { status: 200, body: twin };
    if (operation !== 'findPayouts') return reply;
    const { results, ...page } = reply.body as { results: Payout[] };
    const withTwin = results.flatMap((one) => (one.uuid === payout.uuid ? [twin, one] : [one]));
    return { ...reply, body: { ...page, results: withTwin } };
  });
  return twin;
}

/** From now on, the provider reports the payout with these changes and a slightly later time. */
function says(payout: Payout, changed: Partial<Payout>): void {
  const updated_at = new Date(Date.parse(payout.updated_at) + 5).toISOString();
  lie(({ operation, text }, reply) =>
    operation === 'getPayout' && text.includes(payout.uuid)
      ? { status: 200, body: { ...payout, updated_at, ...changed } }
      : reply,
  );
}

async function announce(data: Payout): Promise<void> {
  const address = `${world.url}/webhooks/provider/${world.webhookSecret}`;
  const body = JSON.stringify({ event: 'payout.updated', data, updated_at: data.updated_at });
  const headers = { 'content-type': 'application/json' };
  expect((await fetch(address, { method: 'POST', headers, body })).status).toBe(200);
}

const balanceVersionOf = async ({ userId }: Person) => {
  const user = byTable(db()).selectFrom('users').select('balance_version').where('id', '=', userId);
  return (await user.executeTakeFirstOrThrow()).balance_version;
};

const untilTwin = (id: string) =>
  until(
    () => discrepanciesOf(id),
    (found) => found.some(({ kind }) => kind === 'twin'),
  );

const resourceOf = (id: string) =>
  db()
    .selectFrom('ProviderResource')
    .selectAll()
    .where('handle', '=', handleFor(id, 'payout'))
    .executeTakeFirstOrThrow();

const followedFor = async (id: string) => (await resourceOf(id)).providerRef;

const refetchPayout = async (id: string) =>
  refetch(world.service.app, await resourceOf(id), { kind: 'job', id: 'test' });

const discrepanciesOf = (id: string) =>
  byTable(db())
    .selectFrom('discrepancies')
    .selectAll()
    .where('subject_id', '=', id)
    .orderBy('occurred_at')
    .execute();

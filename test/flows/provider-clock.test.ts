// The provider's clock is coarse, stands still or steps back, and no callback arrives. Everything still reaches a final state,
// or a discrepancy is recorded. The tests bring polls forward instead of waiting for them.
import { sql } from 'kysely';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { sendMoney } from '../../harness/people/sandbox.ts';
import { reconcile } from '../../src/jobs/reconcile-by-hand.ts';
import { byTable } from '../support/by-table.ts';
import {
  must,
  type Person,
  passVerification,
  pay,
  postJson,
  quote,
  reaches,
  signUp,
} from '../support/person.ts';
import { until } from '../support/until.ts';
import { payoutsOf } from '../support/upstream.ts';
import { useWorld } from '../support/use-world.ts';

const HOUR_MS = 3_600_000;

let ada: Person;
let clock: { heal: () => void } | undefined;

const { world, proxy, db } = useWorld({ proxy: true, env: { PUBLIC_BASE_URL: 'http://127.0.0.1:9' } });

beforeAll(async () => {
  ada = await signUp(world);
  must(await ada.api.PATCH('/me', { body: { homeCurrency: 'GBP' } }));
  await passVerification(ada);
  await polled('kyc');
  await polled('provider_account', 2);
  const { deposit } = await until(
    async () => must(await ada.api.GET('/me')),
    (me) => me.deposit !== null,
  );
  await sendMoney(world, deposit ?? {}, '500.00');
});
afterEach(() => clock?.heal());

test('a payment completes though every step of it has the same time', async () => {
  clock = timed(() => 0);
  const id = await pay(ada, await quote(ada, 20));
  await polled('pix_payment');
  await reaches(ada, id, 'paying');
  await polled('pix_payment');
  await reaches(ada, id, 'completed');
  expect(await waiting('pix_payment')).toEqual([]);
});

test('a later return with the same time is found', async () => {
  clock = timed(() => 0);
  const id = await pay(ada, await quote(ada, 21));
  await polled('pix_payment');
  await reaches(ada, id, 'paying');
  await polled('pix_payment');
  await reaches(ada, id, 'completed');
  const [payout] = await payoutsOf(world, id);
  await postJson(`${world.sandboxUrl}/sandbox/payouts/${payout?.uuid}/refund`, {});
  expect((await reconcile(world.service.app)).counts['payouts corrected']).toBe(1);
  await reaches(ada, id, 'manual_review');
  expect(await discrepanciesOf(id)).toEqual([]);
});

test('a retried payout completes though its attempt has the time of the first one', async () => {
  clock = timed(() => 0);
  const recovering = { pixKey: 'recover@pix.example', pixKeyType: 'email' } as const;
  const id = await pay(ada, await quote(ada, 22), recovering);
  await polled('pix_payment');
  await reaches(ada, id, 'paying');
  await polled('pix_payment');
  await reaches(ada, id, 'payout_failed');
  must(await ada.api.POST('/pix/payments/{id}/retry', { params: { path: { id } } }));
  await polled('pix_payment');
  await reaches(ada, id, 'completed');
  expect(await payoutsOf(world, id)).toMatchObject([{ status: 'COMPLETED', attempt: 2 }]);
});

test('a time that moved back is a discrepancy, and the payment is polled until its state is certain', async () => {
  clock = timed((status) => (status === 'PENDING' ? 0 : -HOUR_MS));
  const id = await pay(ada, await quote(ada, 23));
  await polled('pix_payment');
  const [noticed] = await until(
    () => discrepanciesOf(id),
    (found) => found.length > 0,
  );
  expect(noticed).toMatchObject({
    kind: 'clock_stepped_back',
    event: 'internal-transfer.completed',
    state: 'converting.direct',
    provider_ref: expect.any(String) as string,
    resolved_at: null,
  });
  await reaches(ada, id, 'converting');
  expect(await waiting('pix_payment')).toHaveLength(1);
  await polled('pix_payment');
  await until(
    async () => proxy.count('getInternalTransfer', noticed?.provider_ref ?? ''),
    (polls) => polls > 1,
  );
  expect(await discrepanciesOf(id)).toHaveLength(1);

  clock.heal();
  clock = timed(() => 1_000);
  await polled('pix_payment');
  await reaches(ada, id, 'paying');
  await polled('pix_payment');
  await reaches(ada, id, 'completed');
  expect(await waiting('pix_payment')).toEqual([]);
});

const START_MS = Date.now();

/**
 * From now on, every transfer and payout that the provider reports has a time that depends on its status: `offsetMs`
 * milliseconds after `START_MS`.
 */
const timed = (offsetMs: (status: string) => number): { heal: () => void } =>
  proxy.rewrite(({ operation }, { status, body }) => ({
    status,
    body: /Transfer|Payout/.test(operation ?? '') ? withTimes(body, offsetMs) : body,
  }));

type Reported = { status: string; updated_at: string };

function withTimes(body: unknown, offsetMs: (status: string) => number): unknown {
  const reported = body as Reported | { results: Reported[] } | { code: string };
  if ('results' in reported)
    return { ...reported, results: reported.results.map((one) => withTimes(one, offsetMs)) };
  if (!('updated_at' in reported)) return reported;
  return { ...reported, updated_at: new Date(START_MS + offsetMs(reported.status)).toISOString() };
}

const waiting = (kind: 'kyc' | 'provider_account' | 'pix_payment') =>
  byTable(db())
    .selectFrom('provider_resources')
    .select('handle')
    .where('subject_kind', '=', kind)
    .where('next_poll_at', 'is not', null)
    .execute();

/** Waits until this many resources of the kind await a poll, and makes these polls due. */
async function polled(kind: Parameters<typeof waiting>[0], count = 1): Promise<void> {
  const found = await until(
    () => waiting(kind),
    (resources) => resources.length === count,
  );
  const handles = found.map(({ handle }) => handle);
  await byTable(db())
    .updateTable('provider_resources')
    .set({ next_poll_at: sql<Date>`now()` })
    .where('handle', 'in', handles)
    .where('next_poll_at', 'is not', null)
    .execute();
}

const discrepanciesOf = (id: string) =>
  byTable(db()).selectFrom('discrepancies').selectAll().where('subject_id', '=', id).execute();

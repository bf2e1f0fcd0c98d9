// The drill for a database that is restored to an older backup. Rows that are behind continue, lost rows are adopted, every user's
// history is complete again, and nothing moves at the provider.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adopt, listOrphans, type Orphan } from '../../../ops/recovery/recovery.ts';
import type { PixPayment, Transaction } from '../../../packages/client/src/index.ts';
import { handleFor } from '../../../src/domain/handles.ts';
import { reconcile } from '../../../src/jobs/reconcile-by-hand.ts';
import { byTable } from '../../support/by-table.ts';
import {
  balanceOf,
  must,
  type Person,
  passVerification,
  pay,
  postJson,
  quote,
  reaches,
  receiveDeposit,
  signUp,
  verified,
} from '../../support/person.ts';
import { withdrawTo } from '../../support/unannounced.ts';
import { until } from '../../support/until.ts';
import { movementsOf, payoutsOf } from '../../support/upstream.ts';
import { useWorld } from '../../support/use-world.ts';
import { type Backup, backUp } from './restored.ts';

const SETTLE_MS = 400;
const cause = { kind: 'operator', id: 'grace' } as const;

let backup: Backup;
let bob: Person;
let carl: Person;
let inTheMiddle: string;
let failedBefore: string;
let failedAfter: string;
let lostPayment: PixPayment;
let adasTransactions: string[];
let movedUpstream: string[][];
let orphans: Orphan[];

const { world, ada } = useWorld({ sandbox: { settleMs: SETTLE_MS }, deposit: '5000.00' });
beforeAll(async () => {
  bob = await signUp(world);
  must(await bob.api.PATCH('/me', { body: { homeCurrency: 'GBP' } }));
  carl = await signUp(world);
  failedBefore = await payTo('recover@pix.example', 41, 'payout_failed');
  inTheMiddle = await pay(ada, await quote(ada, 40));
  backup = await backUp(world);

  // The backup does not contain the following.
  await Promise.all([livesOn(), withdraws(), verifiesBob(), verifiesCarl(), newcomer()]);
  adasTransactions = await transactionsOf(ada);
  movedUpstream = await movements();
  await backup.restore();
});
afterAll(async () => {
  await backup.drop();
});

test('after a restore the rows of the backup are behind, and the later rows are missing', async () => {
  const states = await byTable(world.service.app.db).selectFrom('pix_payments').select('id').execute();
  expect(states.map(({ id }) => id).toSorted()).toEqual([failedBefore, inTheMiddle].toSorted());
  expect(
    (await ada.api.GET('/pix/payments/{id}', { params: { path: { id: lostPayment.id } } })).response.status,
  ).toBe(404);
});

test('reconciliation updates the rows that are behind and finds the deposits', async () => {
  const { failures } = await reconcile(world.service.app);
  expect(failures).toEqual([]);
  await reaches(ada, inTheMiddle, 'completed');
  await reaches(ada, failedBefore, 'completed');
  expect((await transactionsOf(ada)).filter((line) => line.startsWith('deposit'))).toHaveLength(2);
  expect(await movements()).toEqual(movedUpstream);
});

test('recovery lists the lost rows, with the state in which it would adopt them', async () => {
  orphans = [];
  for await (const orphan of listOrphans(world.service.app, { knownIds: [failedAfter] }))
    orphans.push(orphan);
  const lines = orphans.map(
    ({ kind, currency, match: { becomes, userId, why } }) =>
      `${kind} of ${nameOf(userId)} in ${currency}: ${becomes ?? why}`,
  );
  expect(lines.toSorted()).toEqual([
    'home_account of carl in null: restored',
    'owner of bob in null: restored',
    'owner of carl in null: restored',
    'payment of ada in GBP: completed',
    'payment of ada in GBP: converting',
    'payment of ada in GBP: failed',
    'payment of ada in GBP: manual_review',
    'payment of ada in GBP: manual_review',
    'unknown of null in BRL: no user of this service owns the debited account',
    'unknown of null in null: no user of this service owns the debited account',
    'withdraw of ada in GBP: completed',
    'withdraw of ada in GBP: failed',
  ]);
  expect(JSON.stringify(orphans)).not.toMatch(/52998224725|pix\.example|12345678|Joana/);
});

test('a lost row is adopted once, however many processes try and however often', async () => {
  for (const orphan of orphans.filter(({ match }) => match.becomes !== null)) {
    const tries = await Promise.all([1, 2].map(() => adopt(world.service.app, orphan, cause)));
    const again = await adopt(world.service.app, orphan, cause);
    if (orphan.kind === 'owner' || orphan.kind === 'home_account') continue;
    expect(tries.filter(({ id }) => id !== null)).toHaveLength(1);
    expect(again).toEqual({ id: null, state: null, why: 'it already has a row' });
  }
  await reaches(ada, failedAfter, 'payout_failed');
  expect(await transactionsOf(ada)).toEqual(adasTransactions.map(asFarAsKnown).toSorted());
  expect(await movements()).toEqual(movedUpstream);
});

test('an adopted payment equals the lost one except for its ids and times', async () => {
  const payments = must(await ada.api.GET('/pix/payments'));
  const restored = payments.find(({ amountBrl }) => amountBrl === '42.00');
  const fresh = { id: restored?.id, transactionId: restored?.transactionId };
  const { createdAt, updatedAt, expiresAt } = restored ?? lostPayment;
  expect(restored).toEqual({ ...lostPayment, ...fresh, createdAt, updatedAt, expiresAt });
  expect(restored?.id).not.toBe(lostPayment.id);
  const history = await byTable(world.service.app.db)
    .selectFrom('transitions')
    .select(['to_state', 'cause_kind', 'cause_id'])
    .where('subject_id', '=', restored?.id ?? '')
    .orderBy('seq')
    .execute();
  expect(history.map(({ to_state }) => to_state)).toEqual([
    'quoted',
    'converting.direct',
    'paying',
    'completed',
  ]);
  expect(new Set(history.map(({ cause_kind, cause_id }) => `${cause_kind} ${cause_id}`))).toEqual(
    new Set(['operator grace']),
  );
});

test('a payment that was adopted with its own id can be retried by its user and is paid once', async () => {
  must(await ada.api.POST('/pix/payments/{id}/retry', { params: { path: { id: failedAfter } } }));
  await reaches(ada, failedAfter, 'completed');
  expect(await payoutsOf(world, failedAfter)).toMatchObject([{ attempt: 2, status: 'COMPLETED' }]);
});

test('later callbacks find an adopted payment', async () => {
  const restored = must(await ada.api.GET('/pix/payments')).find(({ amountBrl }) => amountBrl === '42.00');
  const handle = handleFor(lostPayment.id, 'payout');
  const payout = await world.service.app.provider.findPayout(handle);
  await postJson(`${world.sandboxUrl}/sandbox/payouts/${payout?.providerRef}/refund`, {});
  const returned = await reaches(ada, restored?.id ?? '', 'manual_review');
  expect(returned.failureReason).toMatch(/returned/);
});

test('after recovery users have their accounts and their money', async () => {
  for (const person of [bob, carl])
    await until(async () => must(await person.api.GET('/kyc/status')), isActive);
  await reconcile(world.service.app);
  expect(await balanceOf(bob)).toBe(10_000);
  expect(await transactionsOf(bob)).toEqual(['deposit completed 10000 GBP null null null']);
  expect(must(await carl.api.GET('/me')).user.homeCurrency).toBe('EUR');
});

test('after recovery only objects without an owner are orphans, and no discrepancy is open', async () => {
  const left: (string | null)[] = [];
  for await (const { match } of listOrphans(world.service.app)) left.push(match.userId);
  expect(left).toEqual([null, null]);
  expect(await reconcile(world.service.app)).toMatchObject({ openDiscrepancies: 0, failures: [] });
});

async function livesOn(): Promise<void> {
  await reaches(ada, inTheMiddle, 'completed');
  must(await ada.api.POST('/pix/payments/{id}/retry', { params: { path: { id: failedBefore } } }));
  await reaches(ada, failedBefore, 'completed');
  const [id] = await Promise.all([
    pay(ada, await quote(ada, 42), { recipientName: 'Joana' }),
    payTo('refund@pix.example', 43, 'manual_review'),
    quote(ada, 6.66).then(async (failing) => reaches(ada, await pay(ada, failing), 'failed')),
    quote(ada, 8.88).then(async (short) => reaches(ada, await pay(ada, short), 'manual_review')),
  ]);
  lostPayment = await reaches(ada, id, 'completed');
  failedAfter = await payTo('recover@pix.example', 44, 'payout_failed');
}

async function withdraws(): Promise<void> {
  await withdrawTo(ada, 2_000, 'completed');
  await withdrawTo(ada, 1_313, 'failed');
}

async function verifiesBob(): Promise<void> {
  await receiveDeposit(ada, '77.00');
  await passVerification(bob);
  await until(async () => must(await bob.api.GET('/kyc/status')), isActive);
  await receiveDeposit(bob, '100.00');
}

async function verifiesCarl(): Promise<void> {
  must(await carl.api.PATCH('/me', { body: { homeCurrency: 'EUR' } }));
  await passVerification(carl);
  await until(async () => must(await carl.api.GET('/kyc/status')), isActive);
}

async function newcomer(): Promise<void> {
  const dora = await verified(world, { deposit: '60.00' });
  await reaches(dora, await pay(dora, await quote(dora, 45)), 'completed');
}

/** A lost row loses the promised amount. The delivered amount replaces it, and an operator decides. */
const asFarAsKnown = (transaction: string): string =>
  transaction.replace(
    /888 BRL .*/,
    '887 BRL The payment could not be completed. Our support team is looking into it.',
  );

const isActive = ({ hasActiveAccount }: { hasActiveAccount: boolean }): boolean => hasActiveAccount;

async function payTo(pixKey: string, amountBrl: number, end: PixPayment['status']): Promise<string> {
  const id = await pay(ada, await quote(ada, amountBrl), { pixKey, pixKeyType: 'email' });
  await reaches(ada, id, end);
  return id;
}

const line = ({
  type,
  status,
  sourceAmount,
  sourceCurrency,
  destAmount,
  destCurrency,
  failureReason,
}: Transaction) =>
  `${type} ${status} ${sourceAmount} ${sourceCurrency} ${destAmount} ${destCurrency} ${failureReason}`;

const transactionsOf = async ({ api }: Person): Promise<string[]> =>
  must(await api.GET('/transactions'))
    .map(line)
    .toSorted();

const movements = () => Promise.all((['GBP', 'BRL'] as const).map((currency) => movementsOf(ada, currency)));

const nameOf = (userId: string | null): string | null =>
  Object.entries({ ada, bob, carl }).find(([, person]) => person.userId === userId)?.[0] ?? userId;

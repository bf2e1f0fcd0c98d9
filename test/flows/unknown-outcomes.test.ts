// A write to the provider has an unknown outcome. The service looks it up by its handle and retries it, so that it happens
// exactly once. Only a definitive refusal ends a payment.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { handleFor } from '../../src/domain/handles.ts';
import { MAX_ATTEMPTS } from '../../src/outbox/backoff.ts';
import type { RefusalCode } from '../../src/provider/errors.ts';
import { byTable } from '../support/by-table.ts';
import {
  balanceOf,
  must,
  type Person,
  passVerification,
  pay,
  quote,
  reaches,
  receiveDeposit,
  refusalIn,
  signUp,
  verified,
  withdraw,
} from '../support/person.ts';
import { until } from '../support/until.ts';
import { accountRefOf, askUpstream, movementsOf, payoutsOf, transfersOf } from '../support/upstream.ts';
import { type Fault, startUpstreamProxy, type UpstreamProxy } from '../support/upstream-proxy.ts';
import { startWorld, type World } from '../support/world.ts';

type Setup = { world: World; proxy: UpstreamProxy };

/** Longer than any call takes on a busy machine, so that only the calls that a test spoils are repeated. */
const NEVER_MS = 60_000;
/** The timeout of a second world with few users, which waits for calls that hang. */
const TIMES_OUT_MS = 10_000;

let world: World;
let proxy: UpstreamProxy;
let patient: Setup;
let timing: Setup;

async function setUp(timeoutMs: number): Promise<Setup> {
  let started: UpstreamProxy | undefined;
  const upstream = async (sandboxUrl: string) => (started = await startUpstreamProxy(sandboxUrl)).url;
  const env = { PROVIDER_TIMEOUT_MS: String(timeoutMs), WORKER_CONCURRENCY: '20' };
  const itsWorld = await startWorld({ env, upstream });
  if (!started) throw new Error('the world was started without its proxy');
  return { world: itsWorld, proxy: started };
}

beforeAll(async () => {
  [patient, timing] = [await setUp(NEVER_MS), await setUp(TIMES_OUT_MS)];
  ({ world, proxy } = patient);
});
afterAll(async () => {
  for (const setup of [patient, timing]) {
    await setup.world.stop();
    await setup.proxy.close();
  }
});

type JourneyFault = { what: string; fault: Pick<Fault, 'spoilt' | 'forwarded'>; says: RegExp };

/** The journeys of one group run concurrently. Each group is small, so that no journey waits for the others. */
const groups: { name: string; setup: () => Setup; faults: JourneyFault[] }[] = [
  {
    name: 'without an answer in time',
    setup: () => timing,
    faults: [
      { what: 'nothing comes back', fault: { spoilt: 'hang', forwarded: true }, says: /no usable answer/ },
      {
        what: 'the reply drips without end',
        fault: { spoilt: 'drip', forwarded: true },
        says: /no usable answer/,
      },
    ],
  },
  {
    name: 'without a whole answer',
    setup: () => patient,
    faults: [
      {
        what: 'the response is dropped',
        fault: { spoilt: 'drop', forwarded: true },
        says: /no usable answer/,
      },
      {
        what: 'the connection is reset',
        fault: { spoilt: 'reset', forwarded: false },
        says: /no usable answer/,
      },
      { what: 'the reply breaks off', fault: { spoilt: 'cut', forwarded: true }, says: /no usable answer/ },
      {
        what: 'the reply is too large',
        fault: { spoilt: 'huge', forwarded: true },
        says: /no usable answer/,
      },
    ],
  },
  {
    name: 'with an answer that is not of the contract',
    setup: () => patient,
    faults: [
      {
        what: 'the reply is half a JSON',
        fault: { spoilt: 'broken', forwarded: true },
        says: /does not match/,
      },
      {
        what: 'the reply lacks a field',
        fault: { spoilt: 'mismatched', forwarded: true },
        says: /does not match/,
      },
      {
        what: 'the reply is about another resource',
        fault: { spoilt: 'foreign', forwarded: true },
        says: /another resource/,
      },
      {
        what: 'the reply is a redirect',
        fault: { spoilt: 'redirect', forwarded: false },
        says: /answered 307/,
      },
    ],
  },
  {
    name: 'with a status that decides nothing',
    setup: () => patient,
    faults: [
      {
        what: 'the provider answers 500 before it acts',
        fault: { spoilt: { status: 500 }, forwarded: false },
        says: /answered 500/,
      },
      {
        what: 'the provider answers 502 after it has acted',
        fault: { spoilt: { status: 502 }, forwarded: true },
        says: /answered 502/,
      },
      { what: 'the provider answers 503', fault: { spoilt: { status: 503 }, forwarded: false }, says: /503/ },
      {
        what: 'the provider answers 401',
        fault: { spoilt: { status: 401, code: 'unauthorized' }, forwarded: false },
        says: /401/,
      },
      {
        what: 'the provider answers 422 with an unknown code',
        fault: { spoilt: { status: 422, code: 'odd' }, forwarded: false },
        says: /422 odd/,
      },
    ],
  },
];

describe.each(groups)('every write of a journey fails once, $name', ({ setup, faults }) => {
  test.concurrent.each(faults)(
    'every write of a journey happens exactly once though $what',
    async ({ fault, says }) => {
      const { world: itsWorld, proxy: itsProxy } = setup();
      const ada = await signUp(itsWorld);
      const [gbp, brl] = [handleFor(ada.userId, 'account-GBP'), handleFor(ada.userId, 'account-BRL')];
      const spoilt = [
        itsProxy.spoil({ ...fault, operation: 'createAccount', about: gbp }),
        itsProxy.spoil({ ...fault, operation: 'createAccount', about: brl }),
      ];
      must(await ada.api.PATCH('/me', { body: { homeCurrency: 'GBP' } }));
      await passVerification(ada);
      // The status of the verification is requested; the accounts open without a request.
      await until(
        async () => must(await ada.api.GET('/kyc/status')),
        ({ hasActiveAccount }) => hasActiveAccount,
      );
      await until(() => brlIsActive(ada), Boolean);
      await receiveDeposit(ada, '100.00');

      const home = await accountRefOf(itsWorld, ada.userId, 'GBP');
      const transferFrom = `"source_account_uuid":"${home}"`;
      const payoutFrom = `"source_account_uuid":"${await accountRefOf(itsWorld, ada.userId, 'BRL')}"`;
      spoilt.push(
        itsProxy.spoil({ ...fault, silent: true, operation: 'createInternalTransfer', about: transferFrom }),
        itsProxy.spoil({ ...fault, silent: true, operation: 'createPayout', about: payoutFrom }),
      );
      const quoted = await quote(ada, 50);
      const payment = await reaches(ada, await pay(ada, quoted), 'completed');
      const afterPayment = 10_000 - quoted.sourceAmount;
      expect(await balanceOf(ada)).toBe(afterPayment);

      spoilt.push(itsProxy.spoil({ ...fault, silent: true, operation: 'createPayout', about: transferFrom }));
      const id = await withdrawn(ada, 1_000, 'completed');
      expect(await balanceOf(ada)).toBe(afterPayment - 1_000);

      expect(spoilt.map(({ hits }) => hits())).toEqual([1, 1, 1, 1, 1]);
      expect(await transfersOf(itsWorld, payment.id)).toHaveLength(1);
      expect(await payoutsOf(itsWorld, payment.id)).toHaveLength(1);
      expect(await payoutsOf(itsWorld, id, 'withdraw')).toHaveLength(1);
      const source = (quoted.sourceAmount / 100).toFixed(2);
      expect(await movementsOf(ada, 'GBP')).toEqual([
        'CREDIT DEPOSIT 100.00',
        `DEBIT INTERNAL_TRANSFER ${source}`,
        'DEBIT PAYOUT 10.00',
      ]);
      expect(await movementsOf(ada, 'BRL')).toEqual(['CREDIT INTERNAL_TRANSFER 50.00', 'DEBIT PAYOUT 50.00']);

      const tried = (await settled(ada)).filter(({ attempts }) => attempts > 1);
      expect(tried.map(({ type }) => type).toSorted()).toEqual([
        'openAccount',
        'openAccount',
        'startConversion',
        'startPayout',
        'startWithdrawPayout',
      ]);
      // On a busy machine, the failures of several users can open the circuit before the look-up that follows.
      const reasons = tried
        .map(({ last_error: reason }) => reason)
        .filter((reason) => !isOfOpenCircuit(reason));
      for (const reason of reasons) expect(reason).toMatch(says);
    },
  );
});

describe.concurrent('a write that is repeated', () => {
  test('a rotated password fails no payment: calls that are answered with 401 are retried until they succeed', async () => {
    const ada = await verified(world, { deposit: '100.00' });
    const about = await accountRefOf(world, ada.userId, 'GBP');
    const gone = {
      spoilt: { status: 401, code: 'unauthorized' },
      forwarded: false,
      about,
      times: 2,
    } as const;
    const refused = proxy.spoil({ ...gone, operation: 'createInternalTransfer' });
    const id = await pay(ada, await quote(ada, 30));
    await until(
      async () => refused.hits(),
      (hits) => hits === 2,
    );
    const { status } = must(await ada.api.GET('/pix/payments/{id}', { params: { path: { id } } }));
    expect(status).toBe('converting');
    await reaches(ada, id, 'completed');
  });

  test('a failed look-up is repeated, and the write is not sent again', async () => {
    const ada = await verified(world, { deposit: '100.00' });
    const about = await accountRefOf(world, ada.userId, 'GBP');
    // The sandbox keeps this conversion pending, so no callback names it and only a look-up finds it. The first look-up fails
    // as well.
    proxy.spoil({ operation: 'createInternalTransfer', spoilt: 'drop', forwarded: true, about });
    const id = await pay(ada, await quote(ada, 9.99));
    const look = proxy.spoil({
      operation: 'findInternalTransfers',
      spoilt: { status: 500 },
      forwarded: false,
      about: handleFor(id, 'conversion-direct'),
    });
    await until(
      async () => look.hits(),
      (hits) => hits === 1,
    );
    const [effect] = await until(
      async () => (await effectsOf(ada)).filter(({ type }) => type === 'startConversion'),
      ([started]) => started?.status === 'done',
    );
    expect(effect?.attempts).toBe(3);
    expect(await transfersOf(world, id)).toHaveLength(1);
    expect(proxy.count('createInternalTransfer', about)).toBe(1);
  });

  test('an object under a handle that is taken is adopted', async () => {
    const ada = await verified(world, { deposit: '100.00' });
    const about = await accountRefOf(world, ada.userId, 'GBP');
    const spoilt = { status: 409, code: 'origin_id_conflict' };
    const conflict = proxy.spoil({ operation: 'createInternalTransfer', spoilt, forwarded: true, about });
    const id = await pay(ada, await quote(ada, 30));
    await reaches(ada, id, 'completed');
    expect(conflict.hits()).toBe(1);
    expect(await transfersOf(world, id)).toHaveLength(1);
  });

  test('a provider that ignores the filter of a look-up proves nothing', async () => {
    const ada = await verified(world, { deposit: '100.00' });
    const about = await accountRefOf(world, ada.userId, 'GBP');
    proxy.spoil({ operation: 'createInternalTransfer', spoilt: 'reset', forwarded: false, about });
    const id = await pay(ada, await quote(ada, 30));
    const handle = handleFor(id, 'conversion-direct');
    proxy.spoil({ operation: 'findInternalTransfers', spoilt: 'foreign', forwarded: true, about: handle });
    await reaches(ada, id, 'completed');
    expect(await transfersOf(world, id)).toHaveLength(1);
  });

  test('the write of an exhausted effect is still looked up', async () => {
    const ada = await verified(world, { deposit: '100.00' });
    const about = await accountRefOf(world, ada.userId, 'GBP');
    const write = { operation: 'createInternalTransfer', about, silent: true } as const;
    proxy.spoil({ ...write, spoilt: 'reset', forwarded: false });
    proxy.spoil({ ...write, spoilt: 'drop', forwarded: true });
    const id = await pay(ada, await quote(ada, 30));
    const { db } = world.service.app;
    await until(
      async () => (await effectsOf(ada)).filter(({ type }) => type === 'startConversion'),
      ([effect]) => effect?.attempts === 1,
    );
    await byTable(db)
      .updateTable('effects')
      .set({ attempts: MAX_ATTEMPTS - 1 })
      .where('subject_id', '=', id)
      .execute();
    await reaches(ada, id, 'completed');
    const ordered = await byTable(db)
      .selectFrom('effects')
      .selectAll()
      .where('subject_id', '=', id)
      .execute();
    expect(ordered.find(({ type }) => type === 'startConversion')).toMatchObject({
      status: 'exhausted',
      attempts: MAX_ATTEMPTS,
      due_at: null,
    });
    expect(await transfersOf(world, id)).toHaveLength(1);
  });

  test('a start of a verification with an unknown outcome is answered with 502, and can be repeated', async () => {
    const ada = await signUp(world);
    const about = handleFor(ada.userId, 'owner');
    proxy.spoil({ operation: 'createOwner', spoilt: 'drop', forwarded: true, about });
    expect((await ada.api.POST('/kyc/start', {})).response.status).toBe(502);
    expect(must(await ada.api.POST('/kyc/start', {})).status).toBe('pending');
    const { results } = await askUpstream<{ results: unknown[] }>(
      world,
      `/accounts/owners/?external_id=${about}`,
    );
    expect(results).toHaveLength(1);
  });
});

describe.concurrent('a definitive refusal', () => {
  const refusals: { status: number; code: RefusalCode; reason: RegExp }[] = [
    { status: 422, code: 'insufficient_funds', reason: /./ },
    { status: 422, code: 'account_not_active', reason: /./ },
    { status: 422, code: 'rejected', reason: /./ },
    { status: 409, code: 'quote_expired', reason: /expired/i },
  ];

  test.each(refusals)(
    'a payment fails definitively if the provider refuses its conversion with $code',
    async ({ status, code, reason }) => {
      const ada = await verified(world, { deposit: '100.00' });
      const about = await accountRefOf(world, ada.userId, 'GBP');
      const no = { spoilt: { status, code }, forwarded: false, about };
      proxy.spoil({ ...no, operation: 'createInternalTransfer' });
      const id = await pay(ada, await quote(ada, 30));
      const payment = await reaches(ada, id, 'failed');
      expect(payment.failureReason).toMatch(reason);
      expect(await movementsOf(ada, 'GBP')).toEqual(['CREDIT DEPOSIT 100.00']);
      expect(proxy.count('createInternalTransfer', about)).toBe(1);
    },
  );

  test('a refused payout leads to payout_failed, and a refused withdrawal fails', async () => {
    const ada = await verified(world, { deposit: '100.00' });
    const spoilt = { status: 422, code: 'rejected' };
    const home = await accountRefOf(world, ada.userId, 'GBP');
    for (const about of [home, await accountRefOf(world, ada.userId, 'BRL')])
      proxy.spoil({ operation: 'createPayout', spoilt, forwarded: false, about });
    const id = await pay(ada, await quote(ada, 30));
    await reaches(ada, id, 'payout_failed');
    expect(await payoutsOf(world, id)).toEqual([]);
    const withdrawalId = await withdrawn(ada, 1_000, 'failed');
    expect(await payoutsOf(world, withdrawalId, 'withdraw')).toEqual([]);

    must(await ada.api.POST('/pix/payments/{id}/retry', { params: { path: { id } } }));
    await reaches(ada, id, 'completed');
    expect(await payoutsOf(world, id)).toHaveLength(1);
  });
});

test('while a debit has an unknown outcome, a payment that may be covered is answered with 502, and one that is not is refused', async () => {
  const ada = await verified(world, { deposit: '100.00' });
  const about = await accountRefOf(world, ada.userId, 'GBP');
  const [first, affordable, unaffordable] = [
    await quote(ada, 200),
    await quote(ada, 350),
    await quote(ada, 650),
  ];
  proxy.spoil({
    operation: 'createInternalTransfer',
    spoilt: 'drop',
    forwarded: true,
    silent: true,
    about,
  });
  const lookUps = proxy.spoil({
    operation: 'findInternalTransfers',
    spoilt: { status: 503 },
    forwarded: false,
    times: 1_000,
  });
  const id = await pay(ada, first);
  await until(
    () => transfersOf(world, id),
    ({ length }) => length === 1,
  );
  const confirm = ({ quoteId }: { quoteId: string }) =>
    ada.api.POST('/pix/payments', { body: { quoteId, pixKey: '52998224725', pixKeyType: 'cpf' } });
  const readsBefore = proxy.count('getAccount', about);
  expect(refusalIn(await confirm(affordable))).toEqual([502, 'balance_unconfirmed']);
  expect(proxy.count('getAccount', about) - readsBefore).toBeLessThanOrEqual(6);
  expect(refusalIn(await confirm(unaffordable))).toEqual([422, 'insufficient_funds']);

  lookUps.heal();
  await reaches(ada, id, 'completed');
  await reaches(ada, must(await confirm(affordable)).pixPaymentId, 'completed');
  expect(await balanceOf(ada)).toBe(10_000 - first.sourceAmount - affordable.sourceAmount);
});

test('a debit whose first request is in flight may have left the balance, so a payment that may be covered is not refused', async () => {
  const ada = await verified(world, { deposit: '100.00' });
  const about = await accountRefOf(world, ada.userId, 'GBP');
  const [first, affordable] = [await quote(ada, 200), await quote(ada, 350)];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  proxy.spoil({
    operation: 'createInternalTransfer',
    spoilt: { after: released },
    forwarded: true,
    silent: true,
    about,
  });
  const id = await pay(ada, first);
  await until(
    () => transfersOf(world, id),
    ({ length }) => length === 1,
  );
  const confirm = () =>
    ada.api.POST('/pix/payments', {
      body: { quoteId: affordable.quoteId, pixKey: '52998224725', pixKeyType: 'cpf' },
    });
  const readsBefore = proxy.count('getAccount', about);
  let isAnswered = false;
  const answer = confirm().finally(() => {
    isAnswered = true;
  });
  await until(
    async () => isAnswered || proxy.count('getAccount', about) - readsBefore > 1,
    (is) => is,
  );
  release();
  expect(refusalIn(await answer)).not.toEqual([422, 'insufficient_funds']);
  await reaches(ada, id, 'completed');
  // A repetition returns the payment if the first confirmation was accepted.
  await reaches(ada, must(await confirm()).pixPaymentId, 'completed');
});

test('a reissue with an unknown outcome counts as one attempt', async () => {
  const ada = await verified(world, { deposit: '100.00' });
  const id = await pay(ada, await quote(ada, 20), { pixKey: 'recover@pix.example', pixKeyType: 'email' });
  await reaches(ada, id, 'payout_failed');
  const handle = handleFor(id, 'payout');
  const dropped = proxy.spoil({
    operation: 'reissuePayout',
    spoilt: 'drop',
    forwarded: true,
    about: handle,
  });
  must(await ada.api.POST('/pix/payments/{id}/retry', { params: { path: { id } } }));
  await reaches(ada, id, 'completed');
  expect(dropped.hits()).toBe(1);
  expect(await payoutsOf(world, id)).toMatchObject([{ attempt: 2, status: 'COMPLETED' }]);
  expect(await movementsOf(ada, 'BRL')).toEqual([
    'CREDIT INTERNAL_TRANSFER 20.00',
    'DEBIT PAYOUT 20.00',
    'CREDIT PAYOUT_REFUND 20.00',
    'DEBIT PAYOUT 20.00',
  ]);
});

/** Withdraws to newly saved bank details, and waits for the final status. */
async function withdrawn(ada: Person, amount: number, end: 'completed' | 'failed'): Promise<string> {
  const id = await withdraw(ada, amount);
  await until(
    async () => must(await ada.api.GET('/transactions/{id}', { params: { path: { id } } })),
    ({ status }) => status === end,
  );
  return id;
}

const isOfOpenCircuit = (reason: string | null): boolean =>
  /not sent: the provider (?:cannot be reached|does not answer)/.test(reason ?? '');

/**
 * Waits until no effect of the user is queued.
 * @returns all effects of the user.
 */
const settled = (person: Person) =>
  until(
    () => effectsOf(person),
    (all) => all.every(({ status }) => status !== 'queued'),
  );

const effectsOf = ({ userId, world: itsWorld }: Person) =>
  byTable(itsWorld.service.app.db).selectFrom('effects').selectAll().where('user_id', '=', userId).execute();

async function brlIsActive({ userId, world: itsWorld }: Person): Promise<boolean> {
  const account = await byTable(itsWorld.service.app.db)
    .selectFrom('provider_accounts')
    .select('state')
    .where('user_id', '=', userId)
    .where('currency', '=', 'BRL')
    .executeTakeFirst();
  return account?.state === 'active';
}

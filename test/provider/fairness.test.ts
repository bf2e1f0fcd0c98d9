// One user, one operation or one rail of the provider uses at most its share, over real HTTP. Other calls continue while all of its
// calls hang. The proxy delays the hanging calls until the test releases them.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../harness/processes/free-port.ts';
import type { WireOperation } from '../../src/provider/wire.ts';
import { gbp } from '../support/bank-details.ts';
import { byTable } from '../support/by-table.ts';
import { valueIn } from '../support/metrics.ts';
import { must, type Person, quote, verified } from '../support/person.ts';
import { until } from '../support/until.ts';
import { type Fault, startUpstreamProxy, type UpstreamProxy } from '../support/upstream-proxy.ts';
import { startWorld, type World } from '../support/world.ts';
import { endOf, lookAs, onTheWay, type Way } from './support.ts';

/** Long enough that no call of these tests times out, even on a slow machine. */
const TIMEOUT_MS = 120_000;
const slow = { timeoutMs: TIMEOUT_MS, concurrency: 16 };
/** A priority may use 12 of 16 slots. An operation or a rail may use 6 of these, and a user 3. */
const SHARE = { operation: 6, person: 3 };

const times = <Result>(count: number, act: (index: number) => Result): Result[] =>
  Array.from({ length: count }, (_, index) => act(index));

function hang(proxy: UpstreamProxy, fault: Pick<Fault, 'operation' | 'about'>) {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const spoilt = { after: promise };
  const { hits } = proxy.spoil({ ...fault, spoilt, forwarded: true, times: Number.POSITIVE_INFINITY });
  onTestFinished(() => release());
  const are = (count: number) =>
    until(
      async () => hits(),
      (hanging) => hanging === count,
    );
  return { hits, are, release };
}

const pixPayout = { handle: 'pix-payout', currency: 'BRL', amountMinor: 100 } as const;
const pix = { rail: 'PIX', pixKey: '52998224725', pixKeyType: 'cpf', recipientName: null } as const;
const fpsPayout = { currency: 'GBP', amountMinor: 100 } as const;
const fps = {
  rail: 'FPS',
  details: gbp,
} as const;

test(
  'hanging background calls of one user do not delay those of another user',
  onTheWay(async (way) => {
    const hanging = hang(way.proxy, { operation: 'findPayouts', about: 'hanging' });
    const ends = times(12, (index) => endOf(lookAs.background(way, `hanging-${index}`, 'ada')));
    await hanging.are(SHARE.person);
    expect(await lookAs.background(way, 'nobody', 'bea')).toBeNull();
    expect(way.connection.state().calls.background.inFlight).toBe(SHARE.person);
    expect(hanging.hits()).toBe(SHARE.person);
    hanging.release();
    expect(await Promise.all(ends)).toContain('done');
  }, slow),
);

test(
  'hanging background calls of one rail leave slots for another rail and for other operations',
  onTheWay(async (way: Way) => {
    const createPayout = (payout: Parameters<Way['provider']['createPayout']>[0], userId: string) =>
      endOf(way.connection.for({ priority: 'background', userId }).createPayout(payout));
    const sourceAccountRef = crypto.randomUUID();
    const hanging = hang(way.proxy, { operation: 'createPayout', about: '"FPS"' });
    const ends = times(20, (index) =>
      createPayout(
        { ...fpsPayout, handle: crypto.randomUUID(), destination: fps, sourceAccountRef },
        `person ${index}`,
      ),
    );
    await hanging.are(SHARE.operation);
    const sent = await createPayout({ ...pixPayout, destination: pix, sourceAccountRef }, 'bea');
    expect([sent, way.proxy.count('createPayout', '"PIX"')]).toEqual(['unknown', 1]);
    expect(await lookAs.background(way)).toBeNull();
    expect(hanging.hits()).toBe(SHARE.operation);
    hanging.release();
    await Promise.all(ends);
  }, slow),
);

describe('a request', () => {
  let world: World;
  let proxy: UpstreamProxy;
  let metricsUrl: string;
  let ada: Person;
  let bea: Person;

  beforeAll(async () => {
    const port = await freePort();
    metricsUrl = `http://127.0.0.1:${port}/metrics`;
    world = await startWorld({
      env: {
        METRICS_PORT: String(port),
        PROVIDER_CONCURRENCY: String(slow.concurrency),
        PROVIDER_TIMEOUT_MS: String(TIMEOUT_MS),
        // On a slow machine the calls that a test holds back must not be given up meanwhile.
        PROVIDER_INTERACTIVE_WAIT_MS: String(TIMEOUT_MS),
        PROVIDER_INTERACTIVE_TIMEOUT_MS: String(TIMEOUT_MS),
      },
      upstream: async (sandboxUrl) => {
        proxy = await startUpstreamProxy(sandboxUrl);
        return proxy.url;
      },
    });
    [ada, bea] = await Promise.all([verified(world), verified(world)]);
  });
  afterAll(async () => {
    await world.stop();
    await proxy.close();
  });

  const retryAfter = async (operation: WireOperation) =>
    valueIn(
      await (await fetch(metricsUrl)).text(),
      `ponte_provider_retry_after_seconds{operation="${operation}"}`,
    );

  test('a request for a quote does not wait for the many of another user', async () => {
    const hanging = hang(proxy, { operation: 'createQuote', about: '"13.00"' });
    const quotes = times(30, () => quote(ada, 13));
    await hanging.are(SHARE.person);
    for (let amount = 1; amount <= 3; amount += 1) {
      expect((await quote(bea, amount)).sourceCurrency).toBe('GBP');
      // No further call of ada was sent between this request and its answer.
      expect(hanging.hits()).toBe(SHARE.person);
    }
    hanging.release();
    expect(await Promise.all(quotes)).toHaveLength(30);
  });

  test('a request for a quote proceeds while the provider delays the validation of bank details for ten minutes', async () => {
    const spoilt = { status: 429, retryAfter: 600 };
    proxy.spoil({ operation: 'createBankAccountValidation', spoilt, forwarded: false });
    const { id } = must(await ada.api.POST('/bank-details', { body: fps.details }));
    const effect = await until(
      () =>
        byTable(world.service.app.db)
          .selectFrom('effects')
          .selectAll()
          .where('subject_id', '=', id)
          .executeTakeFirstOrThrow(),
      ({ last_error: error }) => error !== null,
    );
    expect(effect.last_error).toMatch(/answered 429/);
    expect(await retryAfter('createBankAccountValidation')).toBeGreaterThan(400);
    expect(await retryAfter('createQuote')).toBe(0);
    expect((await quote(ada, 10)).sourceCurrency).toBe('GBP');
  });

  test('a request for a balance proceeds while the quotes of many users hang', async () => {
    const hanging = hang(proxy, { operation: 'createQuote' });
    const people = [ada, ...(await Promise.all(times(2, () => verified(world))))];
    const quotes = people.flatMap((person) => times(SHARE.person, () => quote(person, 20)));
    await hanging.are(SHARE.operation);
    world.clock.advance(60_000);
    expect(must(await bea.api.GET('/me')).balance?.currency).toBe('GBP');
    expect(hanging.hits()).toBe(SHARE.operation);
    hanging.release();
    expect(await Promise.all(quotes)).toHaveLength(people.length * SHARE.person);
  });
});

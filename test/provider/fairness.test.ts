// One person, one operation or one rail of the provider uses up no more than its share, over real HTTP: the others' calls
// go on while all of its calls hang. The proxy holds the hanging calls until the test releases them.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../scripts/free-port.ts';
import { runInBackgroundFor } from '../../src/provider/call-priority.ts';
import type { WireOperation } from '../../src/provider/wire.ts';
import { byTable } from '../support/by-table.ts';
import { valueIn } from '../support/metrics.ts';
import { must, type Person, quote, verified } from '../support/person.ts';
import { until } from '../support/until.ts';
import { type Fault, startUpstreamProxy, type UpstreamProxy } from '../support/upstream-proxy.ts';
import { startWorld, type World } from '../support/world.ts';
import { endOf, lookAs, onTheWay, type Way } from './support.ts';

/** No call of these tests ends because its time is over, on a slow machine neither. */
const TIMEOUT_MS = 120_000;
const slow = { timeoutMs: TIMEOUT_MS, concurrency: 16 };
/** Of 16 slots, 12 are a priority's; of these 6 an operation's, or a rail's, and 3 a person's. */
const SHARE = { operation: 6, person: 3 };

const times = <Result>(count: number, act: (index: number) => Result): Result[] =>
  Array.from({ length: count }, (_, index) => act(index));

/** Calls hang at the provider until they are released. */
function hang(proxy: UpstreamProxy, fault: Pick<Fault, 'operation' | 'about'>) {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const spoilt = { after: promise };
  const { hits } = proxy.spoil({ ...fault, spoilt, forwarded: true, times: Number.POSITIVE_INFINITY });
  onTestFinished(() => release());
  const are = (count: number) =>
    until(
      async () => hits(),
      (hanging) => hanging === count,
      60_000,
    );
  return { hits, are, release };
}

const pixPayout = { handle: 'pix-payout', currency: 'BRL', amountMinor: 100 } as const;
const pix = { rail: 'PIX', pixKey: '52998224725', pixKeyType: 'cpf', recipientName: null } as const;
const fpsPayout = { currency: 'GBP', amountMinor: 100 } as const;
const fps = {
  rail: 'FPS',
  details: {
    currency: 'GBP',
    accountHolderName: 'Ada Silva',
    accountNumber: '31926819',
    sortCode: '60-16-13',
  },
} as const;

describe('background calls', () => {
  it(
    'of one person that hang do not delay another person’s',
    onTheWay(async (way) => {
      const hanging = hang(way.proxy, { operation: 'findPayouts', about: 'hanging' });
      const ends = times(12, (index) => endOf(lookAs.background(way, `hanging-${index}`, 'ada')));
      await hanging.are(SHARE.person);
      expect(await lookAs.background(way, 'nobody', 'bea')).toBeNull();
      expect(way.provider.state().calls.background.inFlight).toBe(SHARE.person);
      expect(hanging.hits()).toBe(SHARE.person);
      hanging.release();
      expect(await Promise.all(ends)).toContain('done');
    }, slow),
  );

  it(
    'on a rail that hangs leave slots for another rail, and for other operations',
    onTheWay(async (way: Way) => {
      const createPayout = (payout: Parameters<Way['provider']['createPayout']>[0], userId: string) =>
        endOf(runInBackgroundFor(userId, () => way.provider.createPayout(payout)));
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
});

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

  it('for a quote does not wait for another person’s many', async () => {
    const hanging = hang(proxy, { operation: 'createQuote', about: '"13.00"' });
    const quotes = times(30, () => quote(ada, 13));
    await hanging.are(SHARE.person);
    for (let amount = 1; amount <= 3; amount += 1) {
      expect((await quote(bea, amount)).sourceCurrency).toBe('GBP');
      // No call of hers was sent between the request and its answer.
      expect(hanging.hits()).toBe(SHARE.person);
    }
    hanging.release();
    expect(await Promise.all(quotes)).toHaveLength(30);
  });

  it('for a quote goes on while the validation of bank details has been told to wait for ten minutes', async () => {
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

  it('for a balance goes on while the quotes of many people hang', async () => {
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

// An operation that fails receives only trials until it answers again, and other operations do not notice. If several operations and a
// probe fail, the whole provider is unreachable: it receives only probes. The first answer ends both.
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createCircuit } from '../../src/provider/circuit.ts';
import { createOutage } from '../../src/provider/outage.ts';
import { until } from '../support/until.ts';
import { endOf, lookAs, onTheWay, spoilAll, spoilOne, type Way } from './support.ts';

const changes = ({ seen }: Way) => seen.filter((one) => /^(?:opened|closed)/.test(one));
const openCircuits = ({ connection }: Way) => connection.state().openCircuits;

/** Repeats background calls for this many milliseconds. @returns how each ended. */
async function askFor(way: Way, ms: number): Promise<string[]> {
  const begun = performance.now();
  const ends: string[] = [];
  while (performance.now() - begun < ms) {
    ends.push(await endOf(lookAs.background(way)));
    await pause(100);
  }
  return ends;
}

const askUntil = (way: Way, circuits: string[]) =>
  until(
    async () => {
      await Promise.all([endOf(lookAs.background(way)), endOf(way.provider.findTransfer('nobody'))]);
      return openCircuits(way).toSorted();
    },
    (open) => open.join() === circuits.join(),
  );

/** Ends a call every 100 ms for a minute: F fails, S succeeds. @returns when the circuit opened and closed. */
function changesAfter(calls: string): string[] {
  const seen: string[] = [];
  const note = (what: string) => () => seen.push(`${what} at ${performance.now() - begunAt} ms`);
  const circuit = createCircuit({ opened: note('opened'), closed: note('closed') });
  const begunAt = performance.now();
  for (let nth = 0; nth < 600 && !circuit.isOpen(); nth += 1) {
    if (calls[nth % calls.length] === 'F') circuit.recordFailure(performance.now(), 'no answer');
    else circuit.recordSuccess();
    vi.advanceTimersByTime(100);
  }
  return seen;
}

describe('calls that end at known times', () => {
  beforeEach(
    () =>
      void vi.useFakeTimers({
        toFake: ['performance', 'setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'],
      }),
  );
  afterEach(() => void vi.useRealTimers());

  test.each([
    ['opens after three seconds', 'every call fails', 'F', ['opened at 3000 ms']],
    ['opens after three seconds', 'four of five calls fail', 'FFFFS', ['opened at 3000 ms']],
    ['stays closed', 'every second call fails', 'FS', []],
    ['stays closed', 'six concurrent calls fail and the next ones succeed', `FFFFFF${'S'.repeat(594)}`, []],
    ['stays closed', 'the failures stop after two seconds', `${'F'.repeat(20)}${'S'.repeat(580)}`, []],
  ])('the circuit %s if %s', (_outcome, _calls, calls, expected) => {
    expect(changesAfter(calls)).toEqual(expected);
  });

  test('failures that are more than 30 seconds old do not open the circuit', () => {
    const circuit = createCircuit(ignored);
    for (let nth = 0; nth < 20; nth += 1) {
      circuit.recordFailure(performance.now(), 'no answer');
      vi.advanceTimersByTime(8_000);
    }
    expect(circuit.isOpen()).toBe(false);
  });

  test('an open circuit lets one call in three seconds through, and the first success closes it', () => {
    const circuit = createCircuit(ignored);
    while (!circuit.isOpen()) {
      circuit.recordFailure(performance.now(), 'no answer');
      vi.advanceTimersByTime(100);
    }
    const sent: boolean[] = [];
    for (let second = 0; second < 7; second += 1) {
      sent.push(circuit.allowRequest());
      vi.advanceTimersByTime(1_000);
    }
    expect(sent).toEqual([false, false, false, true, false, false, true]);
    circuit.recordFailure(performance.now(), 'no answer');
    expect(circuit.isOpen()).toBe(true);
    circuit.recordSuccess();
    expect([circuit.isOpen(), circuit.allowRequest(), circuit.allowRequest()]).toEqual([false, true, true]);
  });

  test('an open circuit without calls closes after thirty seconds, and a failed trial begins them again', () => {
    const circuit = createCircuit(ignored);
    while (!circuit.isOpen()) {
      circuit.recordFailure(performance.now(), 'no answer');
      vi.advanceTimersByTime(100);
    }
    vi.advanceTimersByTime(20_000);
    circuit.recordFailure(performance.now(), 'no answer');
    vi.advanceTimersByTime(29_999);
    expect(circuit.isOpen()).toBe(true);
    vi.advanceTimersByTime(1);
    expect(circuit.isOpen()).toBe(false);
  });

  test.each([
    ['begins if the probe fails and nothing else is answered', 'fails', false, true],
    ['does not begin if the probe is answered', 'answered', false, false],
    ['does not begin if the probe fails and another call is answered meanwhile', 'fails', true, false],
  ] as const)('an outage %s', async (_title, end, isOtherAnswered, expected) => {
    const probe = Promise.withResolvers<string | null>();
    const outage = createOutage({ probe: () => probe.promise, probeTimeoutMs: 4_000, ...ignored });
    outage.suspect();
    vi.advanceTimersByTime(100);
    if (isOtherAnswered) outage.recordSuccess();
    probe.resolve(end === 'fails' ? 'no answer' : null);
    await probe.promise;
    await Promise.resolve();
    expect([outage.isOn(), outage.allowRequest()]).toEqual([expected, !expected]);
    outage.recordSuccess();
    expect([outage.isOn(), outage.allowRequest()]).toEqual([false, true]);
  });
});

const ignored = { opened: () => undefined, closed: () => undefined };

describe.concurrent('the circuit', { timeout: 60_000 }, () => {
  test.each([
    ['503', { status: 503 }],
    ['a closed connection', 'drop'],
  ] as const)(
    'the circuit of one operation opens if %s persists, other operations are called, and a call closes it',
    onTheWay(async (way, _what, spoilt) => {
      const heal = spoilOne(way, 'findPayouts', spoilt);
      await askUntil(way, ['findPayouts']);
      const sent = way.proxy.count('findPayouts');
      expect(await Promise.all([endOf(lookAs.background(way)), endOf(lookAs.interactive(way))])).toEqual([
        'unsent',
        'unsent',
      ]);
      expect(way.proxy.count('findPayouts')).toBe(sent);
      expect(await way.provider.findTransfer('nobody')).toBeNull();

      heal();
      await askUntil(way, []);
      expect(await lookAs.background(way)).toBeNull();
      expect(changes(way)).toEqual(['opened findPayouts', 'closed findPayouts']);
      expect(way.proxy.count('findOwners')).toBe(0);
    }),
  );

  test(
    'if several operations fail and the probe is answered, only these operations are not called',
    onTheWay(async (way) => {
      spoilOne(way, 'findPayouts', { status: 503 });
      spoilOne(way, 'findInternalTransfers', { status: 503 });
      await askUntil(way, ['findInternalTransfers', 'findPayouts']);
      await until(async () => way.seen.includes('findOwners answered'), Boolean);
      expect(openCircuits(way)).not.toContain('all');
      expect(await way.provider.findOwner('nobody')).toBeNull();
    }),
  );

  test(
    'if every operation fails, only probes are sent until one is answered',
    onTheWay(async (way) => {
      const heal = spoilAll(way, { status: 503 });
      await askUntil(way, ['all', 'findInternalTransfers', 'findPayouts']);
      // An operation that was not called before is not called either.
      expect(await endOf(way.provider.findAccount('nobody'))).toBe('unsent');
      const probes = way.proxy.count('findOwners');
      await until(
        async () => way.proxy.count('findOwners'),
        (looks) => looks > probes,
      );
      expect(openCircuits(way)).toContain('all');

      heal();
      await until(
        async () => openCircuits(way),
        (open) => !open.includes('all'),
      );
      expect(await way.provider.findAccount('nobody')).toBeNull();
      await askUntil(way, []);
    }),
  );

  test(
    'a short fault that fails many concurrent calls does not open the circuit',
    onTheWay(async (way) => {
      const heal = spoilAll(way, 'reset');
      const ends = await Promise.all(Array.from({ length: 6 }, () => endOf(lookAs.background(way))));
      heal();
      expect(new Set(ends)).toEqual(new Set(['unknown']));
      expect(await lookAs.background(way)).toBeNull();
      expect(changes(way)).toEqual([]);
    }),
  );

  test.each([
    ['a 401 after a change of credentials', { status: 401, code: 'unauthorized' }],
    ['404', { status: 404 }],
    ['429', { status: 429 }],
    ['501', { status: 501 }],
    ['unreadable answers', 'broken'],
  ] as const)(
    'the circuit does not open on %s, because the provider answers',
    onTheWay(async (way, _what, spoilt) => {
      spoilAll(way, spoilt);
      const ends = await askFor(way, 4_000);
      expect(ends).not.toContain('unsent');
      expect(changes(way)).toEqual([]);
    }),
  );
});

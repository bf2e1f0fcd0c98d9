// An unreachable provider receives no calls until it answers again. The circuit opens when most calls fail, but not on a clear
// answer. While it is open, only probes are sent. The first answer closes it.
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createCircuit } from '../../src/provider/circuit.ts';
import { until } from '../support/until.ts';
import { endOf, lookAs, onTheWay, spoilAll, type Way } from './support.ts';

const changes = ({ seen }: Way) => seen.filter((one) => one === 'opened' || one === 'closed');
const isOpen = ({ provider }: Way) => provider.state().isCircuitOpen;

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

const askUntilOpen = (way: Way) =>
  until(async () => {
    await endOf(lookAs.background(way));
    return isOpen(way);
  }, Boolean);

/** Ends a call every 100 ms for a minute: F fails, S succeeds. @returns when the circuit opened and closed. */
function changesAfter(calls: string): string[] {
  const seen: string[] = [];
  const note = (what: string) => () => seen.push(`${what} at ${performance.now() - begunAt} ms`);
  const circuit = createCircuit({
    probe: () => undefined,
    probeTimeoutMs: 4_000,
    opened: note('opened'),
    closed: note('closed'),
  });
  const begunAt = performance.now();
  for (let nth = 0; nth < 600 && !circuit.isOpen(); nth += 1) {
    if (calls[nth % calls.length] === 'F') circuit.recordFailure(performance.now(), 'no answer');
    else circuit.recordSuccess();
    vi.advanceTimersByTime(100);
  }
  circuit.stopProbing();
  return seen;
}

describe('calls that end at known times', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] }));
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
    const circuit = createCircuit({
      probe: () => undefined,
      probeTimeoutMs: 4_000,
      opened: () => undefined,
      closed: () => undefined,
    });
    for (let nth = 0; nth < 20; nth += 1) {
      circuit.recordFailure(performance.now(), 'no answer');
      vi.advanceTimersByTime(8_000);
    }
    expect(circuit.isOpen()).toBe(false);
  });
});

describe.concurrent('the circuit', { timeout: 60_000 }, () => {
  test.each([
    ['503', { status: 503 }],
    ['a closed connection', 'drop'],
  ] as const)(
    'the circuit opens if %s persists, sends nothing while open, and closes by its own probe',
    onTheWay(async (way, _what, spoilt) => {
      const heal = spoilAll(way, spoilt);
      await askUntilOpen(way);
      const sent = way.proxy.count('findPayouts');
      expect(await Promise.all([endOf(lookAs.background(way)), endOf(lookAs.interactive(way))])).toEqual([
        'unsent',
        'unsent',
      ]);
      expect(way.proxy.count('findPayouts')).toBe(sent);

      heal();
      const healedAt = performance.now();
      await until(
        async () => isOpen(way),
        (open) => !open,
      );
      expect(performance.now() - healedAt).toBeLessThan(8_000);
      expect(changes(way)).toEqual(['opened', 'closed']);
      expect(await lookAs.background(way)).toBeNull();
      expect(way.seen.filter((one) => one === 'findOwners answered')).toHaveLength(1);
    }),
  );

  test(
    'a failed probe leaves the circuit open',
    onTheWay(async (way) => {
      spoilAll(way, { status: 503 });
      await askUntilOpen(way);
      await until(
        async () => way.proxy.count('findOwners'),
        (looks) => looks >= 2,
      );
      expect(isOpen(way)).toBe(true);
      expect(changes(way)).toEqual(['opened']);
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

// An unreachable provider receives no calls until it answers again: the circuit opens on continued failures, never on a
// clear answer; while it is open only probes are sent; the first answer closes it.
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { endOf, lookAs, onTheWay, spoilAll, type Way } from './support.ts';

const changes = ({ seen }: Way) => seen.filter((one) => one === 'opened' || one === 'closed');
const isOpen = ({ provider }: Way) => provider.state().isCircuitOpen;

/** Background work that repeats its calls, for so long. */
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
  until(
    async () => {
      await endOf(lookAs.background(way));
      return isOpen(way);
    },
    Boolean,
    30_000,
  );

describe.concurrent('the circuit', { timeout: 60_000 }, () => {
  it.each([
    ['503', { status: 503 }],
    ['a closed connection', 'drop'],
  ] as const)(
    'opens on %s that goes on, sends nothing then, and closes by its own probe',
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

  it(
    'a failed probe leaves it open',
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

  it(
    'a blip that fails many calls concurrently does not open it',
    onTheWay(async (way) => {
      const heal = spoilAll(way, 'reset');
      const ends = await Promise.all(Array.from({ length: 6 }, () => endOf(lookAs.background(way))));
      heal();
      expect(new Set(ends)).toEqual(new Set(['unknown']));
      expect(await lookAs.background(way)).toBeNull();
      expect(changes(way)).toEqual([]);
    }),
  );

  it(
    'failures with an answer between them do not open it',
    onTheWay(async (way) => {
      const heal = spoilAll(way, { status: 500 });
      for (let round = 0; round < 4; round += 1) {
        await askFor(way, 1_000);
        await way.provider.findTransfer('nobody');
      }
      heal();
      expect(changes(way)).toEqual([]);
    }),
  );

  it.each([
    ['401: its credentials have changed', { status: 401, code: 'unauthorized' }],
    ['404', { status: 404 }],
    ['429', { status: 429 }],
    ['answers that nobody can read', 'broken'],
  ] as const)(
    '%s does not open it: the provider answers',
    onTheWay(async (way, _what, spoilt) => {
      spoilAll(way, spoilt);
      const ends = await askFor(way, 4_000);
      expect(ends).not.toContain('unsent');
      expect(changes(way)).toEqual([]);
    }),
  );
});

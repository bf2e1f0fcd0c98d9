// Recurring work has at most one run at a time. A failed run or a run that never settles does not prevent the next one.
import { afterEach, expect, test } from 'vitest';
import { every } from '../../src/outbox/every.ts';
import { watchedLog } from '../support/leak-watch.ts';
import { until } from '../support/until.ts';

const log = watchedLog();
const begun: ReturnType<typeof every>[] = [];

afterEach(() => Promise.all(begun.splice(0).map((stop) => stop())));

/** @returns a function that counts the runs so far. */
function repeat(work: (turn: number) => Promise<void>, turnWithinMs: number): () => Promise<number> {
  let turns = 0;
  const turn = () => work((turns += 1));
  begun.push(every(5, turn, log, turnWithinMs));
  return async () => turns;
}

test('a run starts only when the previous one has settled', async () => {
  const first = Promise.withResolvers<void>();
  const turns = repeat(() => first.promise, 60_000);
  await until(turns, (count) => count === 1);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await turns()).toBe(1);
  first.resolve();
  expect(await until(turns, (count) => count > 1)).toBeGreaterThan(1);
});

test('recurring work continues after a failed run', async () => {
  const turns = repeat(() => Promise.reject(new Error('no')), 60_000);
  expect(await until(turns, (count) => count > 2)).toBeGreaterThan(2);
});

test('a run that never settles is abandoned, and stopping does not wait for it', async () => {
  const turns = repeat(() => new Promise(() => undefined), 50);
  expect(await until(turns, (count) => count > 2)).toBeGreaterThan(2);
});

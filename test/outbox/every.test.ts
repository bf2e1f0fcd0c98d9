// Recurring work: one turn at a time, and neither a failure nor a turn without an end keeps the next one from coming.
import { afterEach, expect, it } from 'vitest';
import { every, type Recurring } from '../../src/outbox/every.ts';
import { watchedLog } from '../support/leak-watch.ts';
import { until } from '../support/until.ts';

const log = watchedLog();
const begun: Recurring[] = [];

afterEach(() => Promise.all(begun.splice(0).map(({ stop }) => stop())));

/** @returns how many turns there have been. */
function repeat(work: (turn: number) => Promise<void>, turnWithinMs: number): () => Promise<number> {
  let turns = 0;
  const turn = () => work((turns += 1));
  begun.push(every(5, turn, { log }, turnWithinMs));
  return async () => turns;
}

it('a turn waits for the one before', async () => {
  const first = Promise.withResolvers<void>();
  const turns = repeat(() => first.promise, 60_000);
  await until(turns, (count) => count === 1);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await turns()).toBe(1);
  first.resolve();
  expect(await until(turns, (count) => count > 1)).toBeGreaterThan(1);
});

it('a failure is not the end', async () => {
  const turns = repeat(() => Promise.reject(new Error('no')), 60_000);
  expect(await until(turns, (count) => count > 2)).toBeGreaterThan(2);
});

it('a turn that never ends is left to itself, and stopping does not wait for it either', async () => {
  const turns = repeat(() => new Promise(() => undefined), 50);
  expect(await until(turns, (count) => count > 2)).toBeGreaterThan(2);
});

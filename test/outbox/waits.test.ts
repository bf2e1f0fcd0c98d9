// The wait that the metrics show: for how long work was due before this process started it.
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { commitEffect, insertDueCallback, insertDueEffect, insertDuePoll } from './bare-engine.ts';
import { useBareEngine } from './use-bare-engine.ts';

const HOUR_SECONDS = 3_600;

const { engine } = useBareEngine();
let begunAt: number;

beforeEach(async () => {
  begunAt = performance.now();
});

/** Waits until this many pieces of work have started. */
const started = (count: number) =>
  until(
    async () => engine.waits,
    (waits) => waits.length === count,
  );
/** @returns the seconds for which this test has run. */
const elapsed = (): number => (performance.now() - begunAt) / 1_000;

test('claimed work counts the time since it was due', async () => {
  const hourAgo = new Date(Date.now() - HOUR_SECONDS * 1_000);
  await insertDueEffect(engine);
  await sql`update effects set due_at = now() - interval '1 hour'`.execute(engine.db);
  await insertDueCallback(engine, hourAgo);
  await insertDuePoll(engine, hourAgo);
  await engine.tick();
  const waits = await started(3);
  expect(new Set(waits.map(({ kind }) => kind))).toEqual(new Set(['effect', 'callback', 'poll']));
  for (const { kind, seconds } of waits) {
    // The clocks of the test and of the database are those of one machine.
    expect([kind, seconds >= HOUR_SECONDS - 0.01, seconds < HOUR_SECONDS + elapsed()]).toEqual([
      kind,
      true,
      true,
    ]);
  }
});

test('committed work counts the time that it waits in memory for a slot', async () => {
  const held = engine.hold(() => true);
  // One type of work gets four of eight slots.
  for (let nth = 0; nth < 6; nth += 1) await commitEffect(engine);
  await started(4);
  const sinceAllWait = performance.now();
  const letGoAt = performance.now();
  held.letGo();
  const waits = await started(6);
  expect(waits.every(({ kind, seconds }) => kind === 'effect' && seconds < elapsed())).toBe(true);
  for (const { seconds } of waits.slice(4))
    expect(seconds).toBeGreaterThanOrEqual((letGoAt - sinceAllWait) / 1_000);
});

test('work that runs again because its outcome could not be recorded counts one wait', async () => {
  const held = engine.hold(() => true);
  await commitEffect(engine);
  await started(1);
  held.fail();
  await until(
    async () => {
      await engine.tick();
      return engine.begun;
    },
    (begun) => begun.length === 2,
  );
  expect(engine.waits).toHaveLength(1);
});

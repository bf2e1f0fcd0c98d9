// Repetitions within a minute are counted. No count is lost when the next minute begins or when a write fails.
import { expect, test } from 'vitest';
import { createAuditCounts } from '../../src/audit/counts.ts';
import type { AuditEntry } from '../../src/audit/entry.ts';
import { createRepetitions } from '../../src/audit/repetitions.ts';
import { createTestClock } from '../support/clock.ts';

const seen = { action: 'bank-details.revealed', userId: '019ab5e2-7c1f-7d3a-9c55-0a1b2c3d4e5f' };

const numbersIn = (entries: AuditEntry[]): unknown[] => entries.map(({ details }) => details['number']);

test('a minute whose count was not taken ends with its count when the next one begins', async () => {
  const clock = createTestClock();
  const written: AuditEntry[] = [];
  const counts = createAuditCounts(clock, 10);
  const record = createRepetitions(clock, counts, async (entry) => void written.push(entry));
  for (const requestId of ['a', 'b', 'c', 'd']) await record(seen, requestId);
  clock.advance(60_001);
  await record(seen, 'e');
  expect(written.map(({ requestId }) => requestId)).toEqual(['a', 'e']);
  const [counted, ...rest] = counts.take();
  expect(counted).toMatchObject({ ...seen, requestId: 'b', details: { number: 3 } });
  expect(rest).toEqual([]);
  await record(seen, 'f');
  expect(numbersIn(counts.take())).toEqual([]);
  expect(numbersIn(counts.take(true))).toEqual([1]);
});

test('a repetition waits for the write that it repeats, and fails with it. The next one is written again', async () => {
  const clock = createTestClock();
  const first = Promise.withResolvers<void>();
  let writes = 0;
  const counts = createAuditCounts(clock, 10);
  const record = createRepetitions(clock, counts, () => {
    writes += 1;
    return writes === 1 ? first.promise : Promise.resolve();
  });
  const both = Promise.allSettled([record(seen, 'a'), record(seen, 'b')]);
  first.reject(new Error('no disk'));
  expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(numbersIn(counts.take(true))).toEqual([]);
  await record(seen, 'c');
  expect(writes).toBe(2);
});

// How old something is by the database's clock, whose time is read once a second.
import { afterEach, expect, test, vi } from 'vitest';
import { createAgeOf, createRecentTime, DatabaseTime } from '../../src/platform/database/database-time.ts';
import { useOrm } from '../support/use-database.ts';

const database = useOrm(1);
const moment = new Date('2026-11-22T10:00:00.000Z');
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test('the time is read once, counted on for a second, and read again', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const read = vi.spyOn(DatabaseTime, 'read');
  const ageOf = createAgeOf(database.db);
  const first = await ageOf(moment);
  vi.advanceTimersByTime(999);
  expect([(await ageOf(moment)) - first, read.mock.calls.length]).toEqual([999, 1]);
  vi.advanceTimersByTime(2);
  await ageOf(moment);
  expect(read).toHaveBeenCalledTimes(2);
});

test('an age is not too low, except for the part of a millisecond that a reading lacks', async () => {
  const ageOf = createAgeOf(database.db);
  await ageOf(moment);
  const before = await DatabaseTime.read(database.db);
  expect(await ageOf(moment)).toBeGreaterThan(-before.msUntil(moment) - 1);
});

test('a reading that fails is not counted on', async () => {
  vi.spyOn(DatabaseTime, 'read').mockRejectedValueOnce(new Error('gone'));
  const ageOf = createAgeOf(database.db);
  await expect(ageOf(moment)).rejects.toThrow('gone');
  expect(await ageOf(moment)).toBeGreaterThan(0);
});

test('a recent time is one reading for a second, and then another', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const recentTime = createRecentTime(database.db);
  const first = await recentTime();
  vi.advanceTimersByTime(999);
  expect(await recentTime()).toBe(first);
  vi.advanceTimersByTime(2);
  expect(await recentTime()).not.toBe(first);
});

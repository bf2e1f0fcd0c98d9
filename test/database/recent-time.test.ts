// What is only shown asks for the database's time once a second.
import { afterEach, expect, test, vi } from 'vitest';
import { createRecentTime, DatabaseTime } from '../../src/platform/database/database-time.ts';
import { useOrm } from '../support/use-database.ts';

const database = useOrm(1);
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test('the time is read once, counted on for a second, and read again', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const read = vi.spyOn(DatabaseTime, 'read');
  const recentTime = createRecentTime(database.db);
  const first = await recentTime();
  vi.advanceTimersByTime(999);
  expect([first.msUntil(await recentTime()), read.mock.calls.length]).toEqual([999, 1]);
  vi.advanceTimersByTime(2);
  await recentTime();
  expect(read).toHaveBeenCalledTimes(2);
});

test('the time is not behind that of the database, which is read in whole milliseconds', async () => {
  const recentTime = createRecentTime(database.db);
  await recentTime();
  const before = await DatabaseTime.read(database.db);
  expect((await recentTime()).isBefore(before.plus(-1))).toBe(false);
});

test('a reading that fails is not counted on', async () => {
  vi.spyOn(DatabaseTime, 'read').mockRejectedValueOnce(new Error('gone'));
  const recentTime = createRecentTime(database.db);
  await expect(recentTime()).rejects.toThrow('gone');
  expect((await recentTime()).toDate().getFullYear()).toBeGreaterThan(2_025);
});

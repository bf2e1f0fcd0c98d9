// Batched writes: each item has its own outcome, and no batch delays the following ones.
import { expect, test } from 'vitest';
import { createWriteBatcher } from '../../src/platform/database/write-batcher.ts';

test('items that arrive during a write are written together by the next write', async () => {
  const first = Promise.withResolvers<void>();
  const written: number[][] = [];
  const write = createWriteBatcher(async (items: number[]) => {
    written.push(items);
    if (written.length === 1) await first.promise;
  }, 2);
  const all = [1, 2, 3, 4].map((item) => write(item));
  first.resolve();
  await Promise.all(all);
  expect(written).toEqual([[1], [2, 3], [4]]);
});

test('the items of a failed write are rejected, and no others', async () => {
  const write = createWriteBatcher(async ([item]: number[]) => {
    if (item === 1) throw new Error('no');
  }, 1);
  const outcomes = await Promise.allSettled([write(1), write(2)]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
});

test('a write that never settles does not delay the following writes', async () => {
  const never = Promise.withResolvers<void>();
  const write = createWriteBatcher(([item]: number[]) => (item === 1 ? never.promise : Promise.resolve()), 1);
  const done: number[] = [];
  const writeOne = async (item: number): Promise<void> => {
    await write(item);
    done.push(item);
  };
  const first = writeOne(1);
  await writeOne(2);
  expect(done).toEqual([2]);
  never.resolve();
  await first;
});

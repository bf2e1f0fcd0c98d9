// Batches writes: items that arrive while a write is in flight wait for it, and the next write stores them together.
import { settledWithin } from '../concurrency/settled-within.ts';

/** The next write starts after this time even if the one before it has not settled, for example on a frozen connection. */
const NEXT_AFTER_MS = 2_000;

/**
 * Creates a function that writes items in batches.
 * @param write stores all items or none, and always settles. Two writes may run concurrently if the first takes long.
 * @param max the size of the largest batch.
 * @returns a function that resolves once the item is on disk, or rejects with the error of its write.
 */
export function createWriteBatcher<Item>(
  write: (items: Item[]) => Promise<unknown>,
  max: number,
): (item: Item) => Promise<void> {
  type QueuedItem = { item: Item; resolve: () => void; reject: (error: unknown) => void };
  const waiting: QueuedItem[] = [];
  let isWriting = false;

  const writeTogether = async (together: QueuedItem[]): Promise<void> => {
    try {
      await write(together.map(({ item }) => item));
      for (const { resolve } of together) resolve();
    } catch (error) {
      for (const { reject } of together) reject(error);
    }
  };

  const writeAll = async (): Promise<void> => {
    isWriting = true;
    while (waiting.length > 0) {
      await settledWithin(NEXT_AFTER_MS, writeTogether(waiting.splice(0, max)));
    }
    isWriting = false;
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isWriting) void writeAll();
    });
}

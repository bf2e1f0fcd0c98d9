// Writing many things with one commit: what comes while a write is under way waits for it, and goes with the next.
import { settledWithin } from '../time/settled-within.ts';

/** A write that takes longer, on a frozen connection, say, is not waited for by those behind it. */
const NEXT_AFTER_MS = 2_000;

/**
 * @param write stores all of them or none, and comes to an end. Two of them may be under way when the first takes long.
 * @param most how many go together at most.
 * @returns resolves once the thing given to it is on disk; rejects with what its write failed with.
 */
export function createWriteBatcher<Item>(
  write: (items: Item[]) => Promise<unknown>,
  most: number,
): (item: Item) => Promise<void> {
  type Waiting = { item: Item; resolve: () => void; reject: (error: unknown) => void };
  const waiting: Waiting[] = [];
  let isWriting = false;

  const writeTogether = async (together: Waiting[]): Promise<void> => {
    try {
      await write(together.map(({ item }) => item));
      for (const { resolve } of together) resolve();
    } catch (error) {
      for (const { reject } of together) reject(error);
    }
  };

  const writeAll = async (): Promise<void> => {
    isWriting = true;
    while (waiting.length > 0) await settledWithin(NEXT_AFTER_MS, writeTogether(waiting.splice(0, most)));
    isWriting = false;
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isWriting) void writeAll();
    });
}

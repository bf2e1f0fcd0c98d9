// Writing many things with one commit: what comes while a write is under way waits for it, and goes with the next.

/**
 * @param write stores all of them or none.
 * @param most how many go together at most.
 * @returns resolves once the thing given to it is on disk; rejects with what its write failed with.
 */
export function gather<Item>(
  write: (items: Item[]) => Promise<unknown>,
  most: number,
): (item: Item) => Promise<void> {
  type Waiting = { item: Item; resolve: () => void; reject: (error: unknown) => void };
  const waiting: Waiting[] = [];
  let isWriting = false;

  const writeAll = async (): Promise<void> => {
    isWriting = true;
    while (waiting.length > 0) {
      const together = waiting.splice(0, most);
      try {
        await write(together.map(({ item }) => item));
        for (const { resolve } of together) resolve();
      } catch (error) {
        for (const { reject } of together) reject(error);
      }
    }
    isWriting = false;
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isWriting) void writeAll();
    });
}

// Work that waits for a slot of this process: taken round-robin by person, so that a person with much work delays no other.
import type { Work } from './work.ts';

export type FairQueue = {
  add: (work: Work) => void;
  /** @returns the next piece that may begin, which is then no longer in the queue; null when none may. */
  next: (mayBegin: (work: Work) => boolean) => Work | null;
  /** @returns all that waited. */
  clear: () => Work[];
  size: () => number;
  /** All that waits. */
  works: () => Work[];
};

export function createFairQueue(): FairQueue {
  // In the order in which they come next. Work of nobody's is a person's of its own.
  const people = new Map<string, Work[]>();
  let size = 0;

  const take = (person: string, waiting: Work[], at: number): Work | null => {
    const [work] = waiting.splice(at, 1);
    people.delete(person);
    if (waiting.length > 0) people.set(person, waiting);
    size -= 1;
    return work ?? null;
  };

  return {
    add: (work) => {
      const person = work.userId ?? work.kind;
      const waiting = people.get(person);
      if (waiting) waiting.push(work);
      else people.set(person, [work]);
      size += 1;
    },
    next: (mayBegin) => {
      for (const [person, waiting] of people) {
        const at = waiting.findIndex(mayBegin);
        if (at >= 0) return take(person, waiting, at);
      }
      return null;
    },
    clear: () => {
      const all = [...people.values()].flat();
      people.clear();
      size = 0;
      return all;
    },
    size: () => size,
    works: () => [...people.values()].flat(),
  };
}

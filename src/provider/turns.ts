// How many calls to the provider may be under way at once, and whose turn is next. People go before work, and each of the
// two always has a share of its own: neither a flood of work nor a flood of people can keep the other out.
import type { Priority } from './call-priority.ts';

export type Load = Record<Priority, { underWay: number; waiting: number }>;

export type Turns = {
  /**
   * Waits in order, at most so long, in milliseconds.
   * @returns how to end the turn, or null when it did not come in time.
   */
  take: (priority: Priority, withinMs: number) => Promise<(() => void) | null>;
  /** Sends everybody away who still waits. */
  close: () => void;
  load: () => Load;
};

type Queue = { underWay: number; waiting: Set<(mayGo: boolean) => void> };

/** @param limit how many turns there are, at least one. */
export function createTurns(limit: number): Turns {
  const mostOfOne = Math.max(1, limit - Math.ceil(limit / 4));
  const queues: Record<Priority, Queue> = {
    interactive: { underWay: 0, waiting: new Set() },
    background: { underWay: 0, waiting: new Set() },
  };

  const isRoomFor = (queue: Queue): boolean =>
    queue.underWay < mostOfOne && queues.interactive.underWay + queues.background.underWay < limit;

  const begin = (queue: Queue): (() => void) => {
    queue.underWay += 1;
    return () => {
      queue.underWay -= 1;
      letNextOnesGo();
    };
  };

  const letNextOnesGo = (): void => {
    for (const queue of [queues.interactive, queues.background])
      for (const answer of queue.waiting) {
        if (!isRoomFor(queue)) break;
        answer(true);
      }
  };

  const wait = (queue: Queue, withinMs: number): Promise<(() => void) | null> =>
    new Promise((resolve) => {
      const answer = (mayGo: boolean): void => {
        clearTimeout(patience);
        queue.waiting.delete(answer);
        resolve(mayGo ? begin(queue) : null);
      };
      const patience = setTimeout(answer, withinMs, false);
      queue.waiting.add(answer);
    });

  return {
    take: async (priority, withinMs) => {
      const queue = queues[priority];
      return queue.waiting.size === 0 && isRoomFor(queue) ? begin(queue) : wait(queue, withinMs);
    },
    close: () => {
      for (const { waiting } of Object.values(queues)) for (const answer of waiting) answer(false);
    },
    load: () => ({ interactive: loadOf(queues.interactive), background: loadOf(queues.background) }),
  };
}

const loadOf = ({ underWay, waiting }: Queue) => ({ underWay, waiting: waiting.size });

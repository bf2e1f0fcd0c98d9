// Callbacks that wait until a later one has overtaken them, and replies that wait for a callback.
import type { Store } from '../store/store.ts';

export function createOvertaking(store: Store) {
  const count = () => store.get<{ n: number }>('select count(*) as n from callbacks_held')?.n ?? 0;
  // Avoids a query if no callback waits. After a rollback it may be true without a waiting callback, but it is never false with one.
  let perhaps = count() > 0;
  const replies = new Map<string, Set<(arrived: boolean) => void>>();
  return {
    isAnyWaiting: (): boolean => perhaps && count() > 0,
    wait(id: number): void {
      perhaps = true;
      store.insert('callbacks_held', { id });
    },
    /**
     * Releases the callbacks that the callback with this id has overtaken.
     * @returns how many were released.
     */
    overtake(id: number, now: number): number {
      if (!perhaps) return 0;
      return store.transaction(() => {
        const { changes } = store.run(
          'update callbacks set due_at = min(due_at, ?) where id in (select id from callbacks_held where id < ?)',
          now,
          id,
        );
        store.run('delete from callbacks_held where id <= ?', id);
        perhaps = count() > 0;
        return changes;
      });
    },
    /** Resolves to true once a callback about the resource was delivered, and to false if none was delivered in time. */
    arrival(uuid: string, patienceMs: number): Promise<boolean> {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const others = replies.get(uuid) ?? new Set();
      replies.set(uuid, others.add(resolve));
      const timer = setTimeout(resolve, patienceMs, false);
      return promise.finally(() => {
        clearTimeout(timer);
        others.delete(resolve);
        if (others.size === 0) replies.delete(uuid);
      });
    },
    arrived(uuid: string): void {
      for (const resolve of replies.get(uuid) ?? []) resolve(true);
    },
  };
}

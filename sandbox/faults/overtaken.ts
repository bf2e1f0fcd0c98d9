// Callbacks that are delayed until a later one has overtaken them.
import type { Store } from '../store/store.ts';

export interface OvertakenCallbacks {
  isAnyWaiting(): boolean;
  wait(id: number): void;
  /**
   * Releases the callbacks that the callback with this id has overtaken.
   * @returns how many were released.
   */
  overtake(id: number, now: number): number;
}

export function createOvertakenCallbacks(store: Store): OvertakenCallbacks {
  const count = () => store.get<{ n: number }>('select count(*) as n from callbacks_held')?.n ?? 0;
  // Avoids a query if no callback waits. After a rollback it may be true without a waiting callback, but it is never false with one.
  let perhaps = count() > 0;
  return {
    isAnyWaiting: () => perhaps && count() > 0,
    wait(id) {
      perhaps = true;
      store.run('insert into callbacks_held (id) values (?)', id);
    },
    overtake(id, now) {
      if (!perhaps) return 0;
      return store.transaction(() => {
        const { changes } = store.run(
          `update callbacks set due_at = min(due_at, ?)
           where id in (select id from callbacks_held where id < ?)`,
          now,
          id,
        );
        store.run('delete from callbacks_held where id <= ?', id);
        perhaps = count() > 0;
        return changes;
      });
    },
  };
}

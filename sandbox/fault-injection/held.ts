// Callbacks that are held back until a later one has overtaken them.
import type { Store } from '../store/store.ts';

export interface HeldCallbacks {
  isAnyHeld(): boolean;
  hold(id: number): void;
  /**
   * Releases the callbacks that the callback with this id has overtaken.
   * @returns how many were released.
   */
  overtake(id: number, now: number): number;
}

export function createHeldCallbacks(store: Store): HeldCallbacks {
  const count = () => store.get<{ n: number }>('select count(*) as n from callbacks_held')?.n ?? 0;
  // Avoids a query if no callback is held. After a rollback it may be true without a held callback, but it is never false with one.
  let perhaps = count() > 0;
  return {
    isAnyHeld: () => perhaps && count() > 0,
    hold(id) {
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

// Counters of fault injection, kept in the store: occurrences by subject, and injected faults by kind.
import type { Store } from '../store/store.ts';

export interface Counts {
  /**
   * Increments the count.
   * @returns the new count.
   */
  add(name: string): number;
  all(): Record<string, number>;
  forget(): void;
}

/** Creates counters that are part of the caller's transaction: a rollback also undoes the count. */
export function createCounts(store: Store, what: 'met' | 'faults'): Counts {
  return {
    add(name) {
      const sql = `insert into fault_counts (what, name, n) values (?, ?, 1)
        on conflict (what, name) do update set n = n + 1 returning n`;
      return store.all<{ n: number }>(sql, what, name)[0]?.n ?? 0;
    },
    all() {
      const rows = store.all<{ name: string; n: number }>(
        'select name, n from fault_counts where what = ?',
        what,
      );
      return Object.fromEntries(rows.map(({ name, n }) => [name, n]));
    },
    forget: () => void store.run('delete from fault_counts where what = ?', what),
  };
}

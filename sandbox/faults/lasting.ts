// Lasting faults: each is active for a subject, a resource or an operation, for a time or until it is ended.
import type { Store } from '../store/store.ts';
import type { ProviderFault } from './registry.ts';

type Details = Record<string, unknown>;

export function createLastingFaults(store: Store) {
  // Avoids the query if there are no such faults.
  const begun = new Set(
    store.all<{ kind: string }>('select kind from active_faults').map(({ kind }) => kind),
  );
  const end = (fault: ProviderFault, subject: string): void =>
    void store.run('delete from active_faults where kind = ? and subject = ?', fault, subject);
  return {
    /** Begins a fault. It replaces a fault of the same kind and subject. Null for `until` makes it permanent. */
    begin(fault: ProviderFault, subject: string, until: number | null, details: Details): void {
      begun.add(fault);
      const sql = `insert into active_faults (kind, subject, until, details) values (?, ?, ?, ?)
        on conflict (kind, subject) do update set until = excluded.until, details = excluded.details`;
      store.run(sql, fault, subject, until, JSON.stringify(details));
    },
    /** Returns undefined if none is active at `now`. */
    find(fault: ProviderFault, subject: string, now: number): Details | undefined {
      if (!begun.has(fault)) return undefined;
      const sql = 'select until, details from active_faults where kind = ? and subject = ?';
      const row = store.get<{ until: number | null; details: string }>(sql, fault, subject);
      if (row && (row.until === null || row.until > now)) return JSON.parse(row.details) as Details;
      if (row) end(fault, subject);
      return undefined;
    },
    /** Returns whether such a fault was ever active. It spares the query of a resource if not. */
    mayAffect: (fault: ProviderFault): boolean => begun.has(fault),
    /** Returns whether calls may be affected. It may be true without such a fault until the next call. */
    affectsCalls: (): boolean =>
      (begun.has('limitedOperation') || begun.has('hangingRail')) &&
      store.get(`select 1 from active_faults where kind in ('limitedOperation', 'hangingRail')`) !==
        undefined,
    end,
    /** Ends all faults except those that a resource keeps permanently. */
    endPassing: (): void =>
      void store.run(
        `delete from active_faults where kind not in ('misreported', 'coarseClock', 'unreadable', 'otherReferences')`,
      ),
  };
}

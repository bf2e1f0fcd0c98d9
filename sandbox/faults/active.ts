// Faults that last: they stay in force for a subject, a resource or an operation, for a time or until they are ended.

import type { ProviderFault } from '../fault-injection/kinds.ts';
import type { Store } from '../store/store.ts';

export type ActiveDetails = Record<string, unknown>;

export interface ActiveFaults {
  /** In the place of one of this kind and subject that is in force already. `until` null: for good. */
  begin(fault: ProviderFault, subject: string, until: number | null, details: ActiveDetails): void;
  /** Undefined when none is in force at `now`. */
  find(fault: ProviderFault, subject: string, now: number): ActiveDetails | undefined;
  /** Whether calls of an operation or a rail are held up; perhaps no longer, until one is made. */
  holdsCalls(): boolean;
  end(fault: ProviderFault, subject: string): void;
  /** Ends all but those that a resource keeps for good. */
  endPassing(): void;
}

export function createActiveFaults(store: Store): ActiveFaults {
  // So that no call reads the table of a sandbox that never had such a fault.
  const begun = new Set(
    store.all<{ kind: string }>('select kind from active_faults').map(({ kind }) => kind),
  );
  return {
    begin(fault, subject, until, details) {
      begun.add(fault);
      const sql = `insert into active_faults (kind, subject, until, details) values (?, ?, ?, ?)
        on conflict (kind, subject) do update set until = excluded.until, details = excluded.details`;
      store.run(sql, fault, subject, until, JSON.stringify(details));
    },
    find(fault, subject, now) {
      if (!begun.has(fault)) return undefined;
      const sql = 'select until, details from active_faults where kind = ? and subject = ?';
      const row = store.get<{ until: number | null; details: string }>(sql, fault, subject);
      if (!row) return undefined;
      if (row.until === null || row.until > now) return JSON.parse(row.details) as ActiveDetails;
      store.run('delete from active_faults where kind = ? and subject = ?', fault, subject);
      return undefined;
    },
    holdsCalls: () =>
      (begun.has('limitedOperation') || begun.has('hangingRail')) &&
      store.get(`select 1 from active_faults where kind in ('limitedOperation', 'hangingRail')`) !==
        undefined,
    end: (fault, subject) =>
      void store.run('delete from active_faults where kind = ? and subject = ?', fault, subject),
    endPassing: () =>
      void store.run(`delete from active_faults where kind not in ('misreported', 'coarseClock')`),
  };
}

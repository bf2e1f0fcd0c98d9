// Records injected faults and their resources. A record is written in the transaction of the fault's change, and is rolled back
// with it.

import type { Kind } from '../fault-injection/kinds.ts';
import type { InjectedFaultRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';

export interface Injected {
  kind: Kind;
  /** Null while the resource is unknown, or if the fault concerns none. */
  resourceUuid: string | null;
  originId: string | null;
  details: object;
}

export interface InjectedFaults {
  /** @returns the record's id. */
  add(injected: Injected, at: number): number;
  /** Adds the resource to the record once it is known. */
  name(id: number, resourceUuid: string): void;
  /** Lists the records, oldest first. With `about`, lists only those of this resource or handle. */
  list(about?: string): InjectedFaultRow[];
}

export function createInjectedFaults(store: Store): InjectedFaults {
  return {
    add({ kind, resourceUuid, originId, details }, at) {
      const sql =
        'insert into injected_faults (kind, resource_uuid, origin_id, at, details) values (?, ?, ?, ?, ?)';
      return store.run(sql, kind, resourceUuid, originId, at, JSON.stringify(details)).id;
    },
    name: (id, resourceUuid) =>
      void store.run('update injected_faults set resource_uuid = ? where id = ?', resourceUuid, id),
    list: (about) =>
      about === undefined
        ? store.all('select * from injected_faults order by id')
        : store.all(
            'select * from injected_faults where resource_uuid = ? or origin_id = ? order by id',
            about,
            about,
          ),
  };
}

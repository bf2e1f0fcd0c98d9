// The record of injected faults and their resources. Written with the change that the fault made, and undone with it.

import type { Kind } from '../fault-injection/kinds.ts';
import type { InjectedFaultRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';

export interface Injected {
  kind: Kind;
  /** Null while no resource is known, or where the fault is about none. */
  resourceUuid: string | null;
  originId: string | null;
  details: object;
}

export interface InjectedFaults {
  /** @returns the record's id. */
  add(injected: Injected, at: number): number;
  /** Adds the resource, once it is known. */
  name(id: number, resourceUuid: string): void;
  /** Oldest first; only those of this resource or handle where one is given. */
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

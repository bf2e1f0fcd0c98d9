// The state of fault injection: the chance of each fault, the requested faults, and those injected so far. It survives a restart.
import type { Fate } from '../seams.ts';
import type { InjectedFaultRow } from '../store/rows.ts';
import { readSetting, type Store, writeSetting } from '../store/store.ts';
import { chance } from './chance.ts';
import { type FaultConfiguration, readFaultConfiguration } from './configuration.ts';
import { createLastingFaults } from './lasting.ts';
import { createOvertaking } from './overtaken.ts';
import { ALL_KINDS, type Group, type Kind } from './registry.ts';
import { createRequestedFaults } from './requested.ts';

/** The resource that a fault affects, as far as it is known. */
export interface About {
  uuid: string | null;
  /** The handle. */
  originId: string | null;
}

const NAME = 'fault-injection';

export type FaultInjection = ReturnType<typeof createFaultInjection>;

export function createFaultInjection(store: Store) {
  const requested = createRequestedFaults(store);
  const lasting = createLastingFaults(store);
  const { add, forget, ...records } = createRecords(store);
  let current = readFaultConfiguration(readSetting(store, NAME) ?? {});
  let chances = chancesOf(current);

  /** Sets the configuration and counts occurrences from zero, so that the same configuration injects the same faults again. */
  const configure = (next: FaultConfiguration): void => {
    store.transaction(() => {
      writeSetting(store, NAME, next);
      forget('met');
    });
    current = next;
    chances = chancesOf(next);
  };
  const chosenFate: { current: Fate | null } = { current: null };

  return {
    /** Returns whether no fault can be injected. It is checked first, so that a sandbox without faults does no extra work. */
    isOff: (): boolean => chances.size === 0 && !requested.isAny() && !lasting.affectsCalls(),
    configuration: (): FaultConfiguration => current,
    configure,
    /** Removes all faults, including requested ones. Faults already injected into a callback or a payout stay. */
    clear(): void {
      configure(readFaultConfiguration({}));
      requested.clear();
      lasting.endPassing();
    },
    /** Counts an occurrence: a call of an operation, a callback of an event, or a possible occasion of a fault. */
    occurrenceOf(subject: string) {
      const { seed } = current;
      const nth = add('met', subject);
      return {
        /** The same seed, subject and number always give the same answer. */
        shouldInject: (kind: Kind): boolean => chance(seed, kind, subject, nth) < (chances.get(kind) ?? 0),
        /** A number from 0 (inclusive) to 1 (exclusive) that chooses between the variants of a fault. */
        variant: (kind: Kind): number => chance(seed, kind, subject, nth, 'how'),
      };
    },
    ...records,
    requested,
    lasting,
    overtaking: createOvertaking(store),
    /** The delivery that a tester chose for the callbacks of the current change. */
    chosenFate,
  };
}

/** The counts of occurrences and of injected faults, and the records of these faults. */
function createRecords(store: Store) {
  /** Increments a count in the caller's transaction: a rollback also undoes it. Returns the new count. */
  const add = (what: 'met' | 'faults', name: string): number => {
    const sql = `insert into fault_counts (what, name, n) values (?, ?, 1)
      on conflict (what, name) do update set n = n + 1 returning n`;
    return store.written<{ n: number }>(sql, what, name).n;
  };
  const forget = (what: 'met' | 'faults') => void store.run('delete from fault_counts where what = ?', what);
  return {
    add,
    forget,
    count: (kind: Kind): void => void add('faults', kind),
    counts(): Record<Kind, number> {
      const sql = `select name, n from fault_counts where what = 'faults'`;
      const counted = new Map(store.all<{ name: string; n: number }>(sql).map(({ name, n }) => [name, n]));
      return Object.fromEntries(ALL_KINDS.map((kind) => [kind, counted.get(kind) ?? 0])) as Record<
        Kind,
        number
      >;
    },
    forgetCounts: (): void => forget('faults'),
    /** Records an injected fault and its resource, in the transaction of the fault's change. Returns the record's id. */
    record(
      kind: Kind,
      { uuid: resource_uuid, originId: origin_id }: About,
      body: object,
      at: number,
    ): number {
      const row = { kind, resource_uuid, origin_id, at, details: JSON.stringify(body) };
      return store.insert<InjectedFaultRow>('injected_faults', row).id;
    },
    /** Adds the resource to a record once it is known. */
    name: (id: number, resourceUuid: string): void =>
      void store.run('update injected_faults set resource_uuid = ? where id = ?', resourceUuid, id),
    /** Lists the records, oldest first. With `about`, lists only those of this resource or handle. */
    injected: (about?: string): InjectedFaultRow[] =>
      about === undefined
        ? store.all('select * from injected_faults order by id')
        : store.all(
            'select * from injected_faults where resource_uuid = ?1 or origin_id = ?1 order by id',
            about,
          ),
  };
}

/** Includes only faults with a chance above zero. */
function chancesOf(configuration: FaultConfiguration): Map<Kind, number> {
  const entries = ALL_KINDS.map((kind): [Kind, number] => {
    const [group, name] = kind.split('.') as [Group, string];
    return [kind, (configuration[group] as Record<string, number>)[name] ?? 0];
  });
  return new Map(entries.filter(([, value]) => value > 0));
}

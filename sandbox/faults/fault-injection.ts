// The state of fault injection: the chance of each fault, the requested faults, and those injected so far. It survives a restart.
import type { Fate } from '../seams.ts';
import type { InjectedFaultRow } from '../store/rows.ts';
import { readSetting, type Store, writeSetting } from '../store/store.ts';
import { type Arrivals, createArrivals } from './arrivals.ts';
import { chance } from './chance.ts';
import { type FaultConfiguration, readFaultConfiguration } from './configuration.ts';
import { createLastingFaults, type LastingFaults } from './lasting.ts';
import { createOvertakenCallbacks, type OvertakenCallbacks } from './overtaken.ts';
import { ALL_KINDS, type Group, type Kind } from './registry.ts';
import { createRequestedFaults, type RequestedFaults } from './requested.ts';

/** The n-th occurrence of something under this configuration. The seed decides which faults it has. */
export interface Occurrence {
  /** Whether the fault is injected. The same seed, subject and number always give the same answer. */
  shouldInject(kind: Kind): boolean;
  /** A number from 0 (inclusive) to 1 (exclusive) that chooses between the variants of a fault. */
  variant(kind: Kind): number;
}

export interface FaultInjection {
  /** Whether no fault can be injected. It is checked first, so that a sandbox without faults does no extra work. */
  isOff(): boolean;
  configuration(): FaultConfiguration;
  /** Sets the configuration and counts occurrences from zero, so that the same configuration injects the same faults again. */
  configure(configuration: FaultConfiguration): void;
  /** Removes all faults, including requested ones. Faults already injected into a callback or a payout stay. */
  clear(): void;
  /** Counts an occurrence: a call of an operation, a callback of an event, or a possible occasion of a fault. */
  occurrenceOf(subject: string): Occurrence;
  /** Counts an injected fault. */
  count(kind: Kind): void;
  counts(): Record<Kind, number>;
  forgetCounts(): void;
  /** Records an injected fault and its resource, in the transaction of the fault's change. Returns the record's id. */
  record(kind: Kind, about: About, details: object, at: number): number;
  /** Adds the resource to a record once it is known. */
  name(id: number, resourceUuid: string): void;
  /** Lists the records, oldest first. With `about`, lists only those of this resource or handle. */
  injected(about?: string): InjectedFaultRow[];
  requested: RequestedFaults;
  lasting: LastingFaults;
  overtaken: OvertakenCallbacks;
  arrivals: Arrivals;
  /** The delivery that a tester chose for the callbacks of the current change. */
  chosenFate: { current: Fate | null };
}

/** The resource that a fault affects, as far as it is known. */
export interface About {
  uuid: string | null;
  /** The handle. */
  originId: string | null;
}

const NAME = 'fault-injection';

export function createFaultInjection(store: Store): FaultInjection {
  const requested = createRequestedFaults(store);
  const lasting = createLastingFaults(store);
  let current = readFaultConfiguration(readSetting(store, NAME) ?? {});
  let chances = chancesOf(current);

  const configure = (next: FaultConfiguration) => {
    store.transaction(() => {
      writeSetting(store, NAME, next);
      forget('met');
    });
    current = next;
    chances = chancesOf(next);
  };

  return {
    isOff: () => chances.size === 0 && !requested.isAny() && !lasting.affectsCalls(),
    configuration: () => current,
    configure,
    clear() {
      configure(readFaultConfiguration({}));
      requested.clear();
      lasting.endPassing();
    },
    occurrenceOf(subject) {
      const { seed } = current;
      const nth = add('met', subject);
      return {
        shouldInject: (kind) => chance(seed, kind, subject, nth) < (chances.get(kind) ?? 0),
        variant: (kind) => chance(seed, kind, subject, nth, 'how'),
      };
    },
    count: (kind) => void add('faults', kind),
    counts() {
      const rows = store.all<{ name: string; n: number }>(
        `select name, n from fault_counts where what = 'faults'`,
      );
      const counted = new Map(rows.map(({ name, n }) => [name, n]));
      return Object.fromEntries(ALL_KINDS.map((kind) => [kind, counted.get(kind) ?? 0])) as Record<
        Kind,
        number
      >;
    },
    forgetCounts: () => forget('faults'),
    record: (kind, { uuid: resource_uuid, originId: origin_id }, details, at) =>
      store.insert<InjectedFaultRow>('injected_faults', {
        kind,
        resource_uuid,
        origin_id,
        at,
        details: JSON.stringify(details),
      }).id,
    name: (id, resourceUuid) =>
      void store.run('update injected_faults set resource_uuid = ? where id = ?', resourceUuid, id),
    injected: (about) =>
      about === undefined
        ? store.all('select * from injected_faults order by id')
        : store.all(
            'select * from injected_faults where resource_uuid = ?1 or origin_id = ?1 order by id',
            about,
          ),
    requested,
    lasting,
    overtaken: createOvertakenCallbacks(store),
    arrivals: createArrivals(),
    chosenFate: { current: null },
  };

  /** Increments a count in the caller's transaction: a rollback also undoes it. Returns the new count. */
  function add(what: 'met' | 'faults', name: string): number {
    const sql = `insert into fault_counts (what, name, n) values (?, ?, 1)
      on conflict (what, name) do update set n = n + 1 returning n`;
    return store.written<{ n: number }>(sql, what, name).n;
  }
  function forget(what: 'met' | 'faults'): void {
    store.run('delete from fault_counts where what = ?', what);
  }
}

/** Includes only faults with a chance above zero. */
function chancesOf(configuration: FaultConfiguration): Map<Kind, number> {
  const entries = ALL_KINDS.map((kind): [Kind, number] => {
    const [group, name] = kind.split('.') as [Group, string];
    return [kind, (configuration[group] as Record<string, number>)[name] ?? 0];
  });
  return new Map(entries.filter(([, value]) => value > 0));
}

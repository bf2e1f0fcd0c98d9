// The state of fault injection: the chance of each fault, the requested faults, and those injected so far. It survives a restart.
import { type ActiveFaults, createActiveFaults } from '../faults/active.ts';
import { createInjectedFaults, type InjectedFaults } from '../faults/injected.ts';
import type { Store } from '../store/store.ts';
import { type Arrivals, createArrivals } from './arrivals.ts';
import { chance } from './chance.ts';
import { type FaultConfiguration, readFaultConfiguration } from './configuration.ts';
import { createCounts } from './counts.ts';
import type { Fate } from './fate.ts';
import { createHeldCallbacks, type HeldCallbacks } from './held.ts';
import { ALL_KINDS, type Group, type Kind } from './kinds.ts';
import { createOrderedFaults, type OrderedFaults } from './ordered.ts';
import { readSetting, writeSetting } from './setting.ts';

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
  ordered: OrderedFaults;
  injected: InjectedFaults;
  active: ActiveFaults;
  held: HeldCallbacks;
  arrivals: Arrivals;
  /** The delivery that a tester chose for the callbacks of the current change. */
  chosenFate: { current: Fate | null };
}

const NAME = 'fault-injection';

export function createFaultInjection(store: Store): FaultInjection {
  const occurrences = createCounts(store, 'met');
  const faults = createCounts(store, 'faults');
  const ordered = createOrderedFaults(store);
  const active = createActiveFaults(store);
  let current = readFaultConfiguration(readSetting(store, NAME) ?? {});
  let chances = chancesOf(current);

  const configure = (next: FaultConfiguration) => {
    store.transaction(() => {
      writeSetting(store, NAME, next);
      occurrences.forget();
    });
    current = next;
    chances = chancesOf(next);
  };

  return {
    isOff: () => chances.size === 0 && !ordered.isAny() && !active.holdsCalls(),
    configuration: () => current,
    configure,
    clear() {
      configure(readFaultConfiguration({}));
      ordered.clear();
      active.endPassing();
    },
    occurrenceOf(subject) {
      const { seed } = current;
      const nth = occurrences.add(subject);
      return {
        shouldInject: (kind) => chance(seed, kind, subject, nth) < (chances.get(kind) ?? 0),
        variant: (kind) => chance(seed, kind, subject, nth, 'how'),
      };
    },
    count: (kind) => void faults.add(kind),
    counts() {
      const counted = faults.all();
      return Object.fromEntries(ALL_KINDS.map((kind) => [kind, counted[kind] ?? 0])) as Record<Kind, number>;
    },
    forgetCounts: () => faults.forget(),
    ordered,
    injected: createInjectedFaults(store),
    active,
    held: createHeldCallbacks(store),
    arrivals: createArrivals(),
    chosenFate: { current: null },
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

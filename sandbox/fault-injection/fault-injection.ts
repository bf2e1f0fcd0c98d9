// Which faults the sandbox injects: how likely each is, which are ordered, what was injected so far. It survives a restart.
import { type ActiveFaults, createActiveFaults } from '../faults/active.ts';
import { createInjectedFaults, type InjectedFaults } from '../faults/injected.ts';
import type { Store } from '../store/store.ts';
import { type Arrivals, createArrivals } from './arrivals.ts';
import { chance } from './chance.ts';
import { type FaultConfiguration, readFaultConfiguration } from './configuration.ts';
import { createCounts } from './counts.ts';
import { createHeldCallbacks, type HeldCallbacks } from './held.ts';
import { ALL_KINDS, type Group, type Kind } from './kinds.ts';
import { createOrderedFaults, type OrderedFaults } from './ordered.ts';
import { readSetting, writeSetting } from './setting.ts';

/** The n-th occurrence of something under this configuration: the seed decides which faults it has. */
export interface Occurrence {
  /** Whether the fault is injected. The same seed, subject and number always give the same answer. */
  shouldInject(kind: Kind): boolean;
  /** From 0 up to 1: which variant of the fault, where there are several. */
  variant(kind: Kind): number;
}

export interface FaultInjection {
  /** No fault can be injected. Asked before anything else, so that a sandbox without faults pays nothing for them. */
  isOff(): boolean;
  configuration(): FaultConfiguration;
  /** Counts occurrences from zero, so that the same configuration injects the same faults again. */
  configure(configuration: FaultConfiguration): void;
  /** No faults from now on, ordered ones included. What already happened to a callback or a payout stays so. */
  clear(): void;
  /** Counts one more of an operation's calls, an event's callbacks, a fault's occasions. */
  occurrenceOf(subject: string): Occurrence;
  /** Counts a fault that was injected. */
  count(kind: Kind): void;
  counts(): Record<Kind, number>;
  forgetCounts(): void;
  ordered: OrderedFaults;
  injected: InjectedFaults;
  active: ActiveFaults;
  held: HeldCallbacks;
  arrivals: Arrivals;
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
  };
}

/** Only what can happen at all. */
function chancesOf(configuration: FaultConfiguration): Map<Kind, number> {
  const entries = ALL_KINDS.map((kind): [Kind, number] => {
    const [group, name] = kind.split('.') as [Group, string];
    return [kind, (configuration[group] as Record<string, number>)[name] ?? 0];
  });
  return new Map(entries.filter(([, value]) => value > 0));
}

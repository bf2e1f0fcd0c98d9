// The weather as it is: its forecast, what it has met and done so far. All of it outlives a restart.
import { type ActiveFaults, createActiveFaults } from '../faults/active.ts';
import { createInjectedFaults, type InjectedFaults } from '../faults/injected.ts';
import type { Store } from '../store/store.ts';
import { type Arrivals, createArrivals } from './arrivals.ts';
import { chance } from './chance.ts';
import { type Forecast, readForecast } from './configuration.ts';
import { createTally } from './counts.ts';
import { createHeldCallbacks, type HeldCallbacks } from './held.ts';
import { ALL_KINDS, type Group, type Kind } from './kinds.ts';
import { createOrderedFaults, type OrderedFaults } from './ordered.ts';
import { readSetting, writeSetting } from './setting.ts';

/** The n-th time that something was met under this forecast: the seed decides what that brings. */
export interface Meeting {
  /** Whether the fault strikes. The same seed, subject and number always give the same answer. */
  isStruckBy(kind: Kind): boolean;
  /** From 0 up to 1: how it strikes, where there is more than one way. */
  how(kind: Kind): number;
}

export interface Weather {
  /** Nothing can happen. Looked at before anything else, so that fair weather costs nothing. */
  isFair(): boolean;
  forecast(): Forecast;
  /** Begins anew with counting what it meets, so that the same forecast brings the same again. */
  change(forecast: Forecast): void;
  /** Fair from now on, ordered faults included. What already happened to a callback or a payout stays so. */
  clear(): void;
  /** Counts one more of an operation's calls, an event's callbacks, a fault's occasions. */
  meet(subject: string): Meeting;
  /** Counts a fault that struck. */
  count(kind: Kind): void;
  counts(): Record<Kind, number>;
  forgetCounts(): void;
  ordered: OrderedFaults;
  injected: InjectedFaults;
  active: ActiveFaults;
  held: HeldCallbacks;
  arrivals: Arrivals;
}

const NAME = 'weather';

export function createWeather(store: Store): Weather {
  const met = createTally(store, 'met');
  const faults = createTally(store, 'faults');
  const ordered = createOrderedFaults(store);
  const active = createActiveFaults(store);
  let forecast = readForecast(readSetting(store, NAME) ?? {});
  let chances = chancesOf(forecast);

  const change = (next: Forecast) => {
    store.transaction(() => {
      writeSetting(store, NAME, next);
      met.forget();
    });
    forecast = next;
    chances = chancesOf(next);
  };

  return {
    isFair: () => chances.size === 0 && !ordered.isAny() && !active.holdsCalls(),
    forecast: () => forecast,
    change,
    clear() {
      change(readForecast({}));
      ordered.clear();
      active.endPassing();
    },
    meet(subject) {
      const { seed } = forecast;
      const nth = met.add(subject);
      return {
        isStruckBy: (kind) => chance(seed, kind, subject, nth) < (chances.get(kind) ?? 0),
        how: (kind) => chance(seed, kind, subject, nth, 'how'),
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
function chancesOf(forecast: Forecast): Map<Kind, number> {
  const entries = ALL_KINDS.map((kind): [Kind, number] => {
    const [group, name] = kind.split('.') as [Group, string];
    return [kind, (forecast[group] as Record<string, number>)[name] ?? 0];
  });
  return new Map(entries.filter(([, value]) => value > 0));
}

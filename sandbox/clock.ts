// The sandbox's own clock: the machine's clock plus an offset that survives a restart.

import { readSetting, type Store, writeSetting } from './store/store.ts';

export interface Clock {
  /** Milliseconds since 1970. */
  now: () => number;
  /** Sets the clock forward. It never goes back: what is due stays due. */
  advance(ms: number): void;
}

const NAME = 'clock-ahead-ms';

export function createClock(store: Store, machineNow: () => number): Clock {
  let aheadMs = Number(readSetting(store, NAME) ?? 0);
  return {
    now: () => machineNow() + aheadMs,
    advance(ms) {
      aheadMs += ms;
      writeSetting(store, NAME, aheadMs);
    },
  };
}

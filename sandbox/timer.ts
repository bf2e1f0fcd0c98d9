// One timer for many due times. It fires at the earliest of them.

export interface Timer {
  at(dueAt: number): void;
  stop(): void;
}

/** The longest sleep, so that the timer notices when the clock is set forward. */
const LONGEST_MS = 30_000;

export function createTimer(now: () => number, ring: () => void): Timer {
  let timer: NodeJS.Timeout | undefined;
  let setFor = Number.POSITIVE_INFINITY;
  let imminent = false;
  let stopped = false;

  const fire = () => {
    imminent = false;
    setFor = Number.POSITIVE_INFINITY;
    ring();
  };

  return {
    at(dueAt) {
      // A timer that is about to fire is not reset: if it were reset repeatedly, it would never fire.
      if (stopped || imminent) return;
      const time = now();
      // If the timer should have fired already, the clock was set forward after the timer was set.
      if (dueAt >= setFor && setFor > time) return;
      clearTimeout(timer);
      setFor = dueAt;
      imminent = dueAt <= time;
      timer = setTimeout(fire, Math.min(Math.max(dueAt - time, 0), LONGEST_MS));
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

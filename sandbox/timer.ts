// One timer for many due times: it fires at the earliest of them.

export interface Timer {
  at(dueAt: number): void;
  stop(): void;
}

/** The longest sleep, so that a clock that is set forward is noticed. */
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
      // Once it is about to fire it is not reset: reset again and again it would never fire.
      if (stopped || imminent) return;
      const time = now();
      // A timer that should have fired was set before the clock was.
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

// One timer for many due times: it rings at the earliest that was asked for.

export interface Alarm {
  at(dueAt: number): void;
  stop(): void;
}

/** The longest sleep, so that a clock that is set forward is noticed. */
const LONGEST_MS = 30_000;

export function createAlarm(now: () => number, ring: () => void): Alarm {
  let timer: NodeJS.Timeout | undefined;
  let setFor = Number.POSITIVE_INFINITY;
  let stopped = false;

  const fire = () => {
    timer = undefined;
    setFor = Number.POSITIVE_INFINITY;
    ring();
  };

  return {
    at(dueAt) {
      if (stopped || dueAt >= setFor) return;
      clearTimeout(timer);
      setFor = dueAt;
      timer = setTimeout(fire, Math.min(Math.max(dueAt - now(), 0), LONGEST_MS));
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

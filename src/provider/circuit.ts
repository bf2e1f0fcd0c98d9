// Whether there is any use in asking. A provider that has failed everybody for a while is left alone, but for a look now
// and then; the first answer to anybody ends it.

/** So many failures, with no answer between them, over so long: a blip that fails twenty calls at once is none of these. */
const FAILURES = 5;
const FAILING_FOR_MS = 3_000;
/** A failure says nothing about one that came so much later. */
const FORGOTTEN_AFTER_MS = 60_000;
const LOOK_EVERY_MS = 3_000;
/** Should only the look be broken, a real call still finds out. */
const TRY_EVERY_MS = 60_000;

export type CircuitOptions = {
  /** Asks the provider something cheap; what comes of it is reported as of any other call. */
  look: () => void;
  /** How long a look may take, in milliseconds: a slow one must not delay the next. */
  lookPatienceMs: number;
  opened: (reason: string) => void;
  closed: () => void;
};

export type Circuit = {
  /** Whether to ask; once in a while an open circuit lets a call through. */
  mayAsk: () => boolean;
  isOpen: () => boolean;
  /** The provider answered, whatever it said. */
  answered: () => void;
  /** @param begunAt when the failed call began, by `performance.now()`. */
  failed: (begunAt: number, reason: string) => void;
  /** For the end of the process: no more looks. */
  close: () => void;
};

export function createCircuit({ look, lookPatienceMs, opened, closed }: CircuitOptions): Circuit {
  let failures = 0;
  let failingSince = 0;
  let lastFailureAt = 0;
  let lastAnswerAt = 0;
  let tryAt = 0;
  let looking: NodeJS.Timeout | null = null;

  const open = (now: number, reason: string): void => {
    tryAt = now + TRY_EVERY_MS;
    looking = setInterval(look, Math.max(LOOK_EVERY_MS, lookPatienceMs / 4)).unref();
    opened(reason);
  };

  const shut = (): void => {
    if (looking) clearInterval(looking);
    looking = null;
  };

  return {
    isOpen: () => looking !== null,
    mayAsk: () => {
      if (looking === null) return true;
      const now = performance.now();
      if (now < tryAt) return false;
      tryAt = now + TRY_EVERY_MS;
      return true;
    },
    answered: () => {
      failures = 0;
      lastAnswerAt = performance.now();
      if (looking === null) return;
      shut();
      closed();
    },
    failed: (begunAt, reason) => {
      const now = performance.now();
      if (now - lastFailureAt > FORGOTTEN_AFTER_MS) failures = 0;
      if (failures === 0) failingSince = Math.max(begunAt, lastAnswerAt);
      failures += 1;
      lastFailureAt = now;
      const isGone = failures >= FAILURES && now - failingSince >= FAILING_FOR_MS;
      if (isGone && looking === null) open(now, reason);
    },
    close: shut,
  };
}

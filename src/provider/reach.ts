// Whether there is any use in asking the provider now, learned from what came of asking: it may want to be left alone, or
// be out of reach. What one call finds out holds for every other of this process.
import { setTimeout as pause } from 'node:timers/promises';
import { type CallObserver, type CallOutcome, outcomeOf } from './call-observer.ts';
import { createCircuit } from './circuit.ts';
import { OutcomeUnknown } from './errors.ts';

/** However long it wants to be left alone: a slip of theirs must not put everybody to sleep. */
const LONGEST_ALONE_MS = 10 * 60_000;

export type Reach = {
  /**
   * @param patienceMs how long to wait until the provider may be asked again; when it takes longer, nobody waits.
   * @throws OutcomeUnknown, unsent, while there is no use in asking.
   */
  assertOfUse: (operation: string, patienceMs: number) => Promise<void>;
  /** Sends a call and learns from its outcome, which stays what it is. */
  learnFrom: <Reply>(operation: string, send: () => Promise<Reply>) => Promise<Reply>;
  isOpen: () => boolean;
  /** For how long the provider wants to be left alone, in milliseconds. */
  aloneForMs: () => number;
  close: () => void;
};

/** @param look asks the provider something cheap, to find out whether it can be reached again. */
export function createReach({
  look,
  timeoutMs,
  watch,
}: {
  look: () => Promise<unknown>;
  timeoutMs: number;
  watch: CallObserver;
}): Reach {
  let aloneUntil = 0;
  const aloneForMs = (): number => Math.max(0, aloneUntil - performance.now());

  const learnFrom = async <Reply>(operation: string, send: () => Promise<Reply>): Promise<Reply> => {
    const begunAt = performance.now();
    const tell = (outcome: CallOutcome): void =>
      watch.called(operation, outcome, (performance.now() - begunAt) / 1_000);
    try {
      const reply = await send();
      circuit.recordSuccess();
      tell('answered');
      return reply;
    } catch (error) {
      const outcome = outcomeOf(error);
      if (outcome === 'failed')
        circuit.recordFailure(begunAt, error instanceof Error ? error.message : 'unknown');
      else circuit.recordSuccess();
      aloneUntil = Math.max(aloneUntil, performance.now() + wishIn(error));
      tell(outcome);
      throw error;
    }
  };

  const circuit = createCircuit({
    probe: () => {
      if (aloneForMs() === 0) learnFrom('look', look).catch(() => undefined);
    },
    probeTimeoutMs: timeoutMs,
    opened: watch.opened,
    closed: watch.closed,
  });

  return {
    assertOfUse: async (operation, patienceMs) => {
      const aloneMs = aloneForMs();
      if (aloneMs > patienceMs) throw turnedAway(operation, 'the provider wants to be left alone', aloneMs);
      if (aloneMs > 0) await pause(aloneMs);
      if (!circuit.allowRequest())
        throw turnedAway(operation, 'the provider cannot be reached at the moment');
    },
    learnFrom,
    isOpen: circuit.isOpen,
    aloneForMs,
    close: circuit.stopProbing,
  };
}

export const turnedAway = (operation: string, why: string, retryAfterMs: number | null = null) =>
  new OutcomeUnknown(operation, `not sent: ${why}`, { sent: false, retryAfterMs });

/** How long it wants everybody to stay away, in milliseconds; other answers speak of their own call alone. */
function wishIn(error: unknown): number {
  if (!(error instanceof OutcomeUnknown) || (error.status !== 429 && error.status !== 503)) return 0;
  return Math.min(error.retryAfterMs ?? 0, LONGEST_ALONE_MS);
}

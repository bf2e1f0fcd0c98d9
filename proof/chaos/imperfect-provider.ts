// The faults of an imperfect provider. The mix is mild: each fault affects some payments of a run, and none affects all. The rates
// are chances for each occurrence; sandbox/README.md defines occurrences and faults.
import type { FaultConfiguration } from '../../sandbox/faults/configuration.ts';

export type ProviderFaults = Partial<FaultConfiguration['provider']>;

export const MILD_FAULTS: ProviderFaults = {
  receivedLate: 0.01,
  lateMs: 20_000,
  forgottenHandle: 0.02,
  unfundedTwin: 0.5,
  wrongQuote: 0.005,
  wrongDebit: 0.003,
  wrongDelivery: 0.003,
  wrongPayout: 0.003,
  misreported: 0.003,
  vanished: 0.002,
  vanishedHandle: 0.3,
  vanishedForMs: 5_000,
  coarseClock: 0.1,
  coarseClockMs: 1_000,
  jumpingClock: 0.002,
  jumpBackMs: 3_000,
  jumpForMs: 3_000,
  clockAheadMs: 100_000,
  laggingRead: 0.05,
  // The look-up by a handle keeps the contract's promise. Without it, no client could tell what the provider did.
  laggingLookup: 0,
  lagMs: 2_000,
  // An effect is retried about a second after a request went unanswered.
  unseenWrite: 0.5,
  unseenForMs: 4_000,
  unreadable: 0.02,
  // One in ten names its movements by the handle, the others by the uuid, not at all, or in mixed ways.
  otherReferences: 0.9,
  longQuote: 0.02,
  // Twice the life of a quote. A longer claim is a discrepancy, and keeps refusals pending for up to five minutes after the run.
  longQuoteMs: 120_000,
  refused: 0.002,
  limitedOperation: 0.000_5,
  limitedForSeconds: 3,
  hangingRail: 0.002,
  railDelayMs: 3_000,
  railHangsForMs: 5_000,
};

type LateRequest = { sent_at: string; received_at: string | null };
const MINUTE_MS = 60_000;

/**
 * Waits for requests that are in flight when the faults end. They still arrive, so their effects are part of the run.
 * @returns how many requests of the whole run arrived more than a minute late.
 */
export async function lateRequestsArrived(sandboxUrl: string): Promise<number> {
  for (;;) {
    // The sandbox may be down for a moment.
    const answer = await fetch(`${sandboxUrl}/sandbox/faults/late`).catch(() => null);
    if (answer?.ok) {
      const { results } = (await answer.json()) as { results: LateRequest[] };
      if (results.every(({ received_at: at }) => at !== null))
        return results.filter(
          ({ sent_at: sent, received_at: received }) =>
            Date.parse(received ?? '') - Date.parse(sent) > MINUTE_MS,
        ).length;
    }
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

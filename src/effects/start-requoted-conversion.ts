// Starts leg 2 of a two-hop payment, or the reverse leg if leg 2 has failed. Both take a fresh quote, because leg 1 may take longer
// than a quote is valid. A leg is given up only when no earlier request can still be executed: otherwise the company could pay
// twice. A committed quote without an answer means that a request may be in flight.

import type { Clock } from '../domain/clock.ts';
import { handleFor } from '../domain/handles.ts';
import type { Log } from '../domain/log.ts';
import { pixPayment } from '../lifecycle/pix-payment.ts';
import { StillInFlight } from '../outbox/backoff.ts';
import type { Committing } from '../outbox/hand-off.ts';
import { type CreatedOrRefused, createOrAdopt } from '../provider/create-or-adopt.ts';
import { OutcomeUnknown, type RefusalCode } from '../provider/errors.ts';
import type { Provider, TransferSnapshot } from '../provider/port.ts';
import type { Db } from '../tables/orm.ts';
import { commitQuote, forgetQuote, type RequotedLeg, releaseQuote } from './committed-quotes.ts';
import { completeWith } from './complete.ts';
import type { EffectServices, KnownOutcome, RunningEffect } from './effect.ts';
import { failDefinitively } from './fail-definitively.ts';
import { type FreshQuote, takeFreshQuote } from './fresh-quote.ts';
import { untilConsumedQuotesAreOver, untilFreshQuotesAreOver } from './in-flight.ts';
import { assertNoTwin, lookUp } from './look-up.ts';

/** If committing a quote takes longer than this, no request is sent with it. */
const COMMITTED_WITHIN_MS = 5_000;
/** After this time without success leg 2 takes no further quote, and the money is converted back. */
const LEG2_LIMIT_MS = 15 * 60_000;

/** One run of the effect whose look-up found nothing. */
export type Attempt = { effect: RunningEffect; leg: RequotedLeg; handle: string; lookedUpAt: Date | null };

export async function startRequotedConversion(
  services: EffectServices,
  effect: RunningEffect,
  leg: 'leg2' | 'reverse',
): Promise<KnownOutcome> {
  const handle = handleFor(effect.subjectId, `conversion-${leg}`);
  const { existing, lookedUpAt } = await lookUp(
    services,
    effect,
    handle,
    () => services.provider.findTransfer(handle),
    false,
  );
  if (existing) return completeWith(services, effect, existing);
  if (leg === 'reverse') await assertNoTwin(services.db, effect);

  const attempt = { effect, leg, handle, lookedUpAt };
  const reason = reasonToGiveUp(attempt);
  if (reason !== null) return giveUp(services, attempt, reason);
  await assertNoQuoteIsConsumed(services.db, attempt);

  const fresh = await takeFreshQuote(services, effect, leg);
  if ('refused' in fresh) return giveUp(services, attempt, fresh.refused);
  const beforeCommit = performance.now();
  if (!(await commitQuote(services, effect, leg, handle, fresh.quote))) return { kind: 'done' };

  // From here on a request may be in flight.
  const answer = await createTransfer(services, attempt, fresh, beforeCommit);
  if ('snapshot' in answer) return completeWith(services, effect, answer.snapshot);
  await releaseQuote(services.db, effect, fresh.quote, answer.refusal);
  if (isAboutQuote(answer.refusal)) throw needsAnotherQuote(leg, answer.refusal);
  return giveUp(services, attempt, answer.refusal);
}

/** Returns the pending refusal, or that leg 2 is out of time; null if the leg may still be attempted. */
function reasonToGiveUp({ effect, leg }: Attempt): string | null {
  if (effect.heldRefusal !== null) return effect.heldRefusal;
  return leg === 'leg2' && isOutOfTime(effect) ? 'took too long' : null;
}

// The time during which an operator paused the effect does not count. An effect that was never attempted is not out of time.
const isOutOfTime = ({ attempts, readAt, createdAt, pausedMs }: RunningEffect): boolean =>
  attempts > 0 && readAt !== null && readAt.getTime() - createdAt.getTime() - pausedMs > LEG2_LIMIT_MS;

export const giveUp = (
  services: Committing & { clock: Clock; log: Log },
  { effect, leg, lookedUpAt }: Attempt,
  why: string,
): Promise<KnownOutcome> =>
  failDefinitively(
    services,
    pixPayment,
    effect,
    { type: `${leg}.failed`, reason: 'conversion_failed' },
    { why, lookedUpAt, inFlightUntil: untilFreshQuotesAreOver(leg) },
  );

/**
 * Asserts that no quote of this leg was consumed by a transfer that may still appear.
 * @throws StillInFlight until then: the transfer may be the one that we requested.
 */
export async function assertNoQuoteIsConsumed(db: Db, { effect, leg, lookedUpAt }: Attempt): Promise<void> {
  const until = await untilConsumedQuotesAreOver(db, effect, leg);
  if (until === null || (lookedUpAt !== null && lookedUpAt >= until)) return;
  throw new StillInFlight(leg, 'its quote was consumed', until.getTime() - (lookedUpAt ?? until).getTime());
}

/**
 * Requests the transfer. If the request provably was not sent or was not executed, its quote is deleted: nothing is in flight.
 * @param beforeCommit the time just before the quote was committed, on `performance.now()`.
 */
async function createTransfer(
  { db, provider }: { db: Db; provider: Provider },
  { effect, leg, handle }: Attempt,
  { quote, route }: FreshQuote,
  beforeCommit: number,
): Promise<CreatedOrRefused<TransferSnapshot>> {
  try {
    return await createOrAdopt({
      find: () => provider.findTransfer(handle),
      create: async () => {
        if (performance.now() - beforeCommit > COMMITTED_WITHIN_MS)
          throw new OutcomeUnknown(leg, 'not sent: committing its quote took too long', { sent: false });
        return provider.createTransfer({ handle, quoteRef: quote.providerRef, ...route });
      },
    });
  } catch (error) {
    if (error instanceof OutcomeUnknown && !error.mayHaveActed) await forgetQuote(db, effect, quote);
    throw error;
  }
}

/** Whether the refusal concerns the quote only: then the conversion is retried with another quote. */
export const isAboutQuote = (refusal: RefusalCode): boolean =>
  refusal === 'quote_consumed' || refusal === 'quote_expired';

export const needsAnotherQuote = (leg: RequotedLeg, refusal: RefusalCode) =>
  new OutcomeUnknown(leg, `needs another quote: ${refusal}`, { mayHaveActed: false });

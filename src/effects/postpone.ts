// What is written of an attempt whose outcome is unknown: when the effect is tried again, or that it is exhausted.
import type { App } from '../app.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Entity } from '../entities/rows.ts';
import { assertLeased } from '../outbox/leases.ts';
import { isUnsent, OutcomeUnknown } from '../provider/errors.ts';
import { safeMessageOf } from '../provider/safe-message.ts';
import { exhaustEffect, postponeEffect } from '../sql/effects.ts';
import { pollResourcesOfSubject } from '../sql/provider-resources.ts';
import { afterAttempt, MOST_ATTEMPTS } from './backoff.ts';

/** @throws LeaseLost when another run has the effect: it knows that a request may be on its way. */
export async function postpone(app: App, effect: Entity<'Effect'>, error: unknown): Promise<void> {
  const { attempts, delayMs } = afterAttempt(effect.attempts, error);
  const isExhausted = attempts >= MOST_ATTEMPTS;
  // In an outage there are thousands of these, and the outage itself has been logged.
  app.log[isUnsent(error) ? 'debug' : 'warn'](
    { code: 'effect.outcome_unknown', error, effect: effect.type, effectId: effect.id, attempts, delayMs },
    'the outcome of the effect is unknown',
  );
  await inTransaction(app.db, async (tx) => {
    const { id, userId, leaseToken } = effect;
    const attempt = {
      id,
      userId,
      leaseToken,
      attempts,
      lastError: safeMessageOf(error),
      mayHaveActed: mayHaveActed(error),
    };
    const postponed = isExhausted
      ? await exhaustEffect(tx, attempt)
      : await postponeEffect(tx, { ...attempt, delayMs });
    assertLeased('effect', id, postponed);
    // What was given up on may exist at the provider all the same: polls go on where the attempts ended.
    if (isExhausted)
      await pollResourcesOfSubject(tx, { subjectId: effect.subjectId, userId, now: app.clock.now() });
  });
}

/** An error that does not come from the call may have come between the provider's answer and our record of it. */
const mayHaveActed = (error: unknown): boolean => !(error instanceof OutcomeUnknown) || error.mayHaveActed;

// Records an attempt whose outcome is unknown: the effect is retried later, or it is exhausted.

import type { Log } from '../domain/log.ts';
import { afterAttempt, MAX_ATTEMPTS } from '../outbox/backoff.ts';
import { assertLeased } from '../outbox/leases.ts';
import { DatabaseTime } from '../platform/database/database-time.ts';
import { inDbTransaction } from '../platform/database/db-transaction.ts';
import { isUnsent, OutcomeUnknown, safeMessageOf } from '../provider/errors.ts';
import { postponeEffect } from '../tables/effects/statements.ts';
import type { Db } from '../tables/orm.ts';
import { pollResourcesOfSubject } from '../tables/provider-resources/statements.ts';
import type { Entity } from '../tables/rows.ts';

/**
 * Plans the next attempt of an effect, or marks the effect as exhausted after the last one.
 * @throws LeaseLost if another run has the effect. Ending this run's lease has recorded that a request may be in flight.
 */
export async function postpone(
  { db, log }: { db: Db; log: Log },
  effect: Entity<'Effect'>,
  error: unknown,
): Promise<void> {
  const { attempts, delayMs } = afterAttempt(effect.attempts, error);
  const isExhausted = attempts >= MAX_ATTEMPTS;
  // An outage causes thousands of unsent calls, and the outage itself has been logged.
  log[isUnsent(error) ? 'debug' : 'warn'](
    { code: 'effect.outcome_unknown', error, effect: effect.type, effectId: effect.id, attempts, delayMs },
    'the outcome of the effect is unknown',
  );
  await inDbTransaction(db, async (tx) => {
    const { id, userId, leaseToken } = effect;
    const unknownAt = mayHaveActed(error) ? await DatabaseTime.read(tx) : null;
    // The resource of an exhausted effect may still exist at the provider, so polling takes over from the attempts.
    if (isExhausted) await pollResourcesOfSubject(tx, { subjectId: effect.subjectId, userId });
    const postponed = await postponeEffect(tx, {
      id,
      userId,
      leaseToken,
      status: isExhausted ? 'exhausted' : 'queued',
      attempts,
      lastError: safeMessageOf(error),
      unknownAt,
      delayMs: isExhausted ? null : delayMs,
    });
    assertLeased('effect', id, postponed);
  });
}

/** Returns whether the provider may have acted. An error outside the call may lie between the provider's answer and our commit. */
const mayHaveActed = (error: unknown): boolean => !(error instanceof OutcomeUnknown) || error.mayHaveActed;

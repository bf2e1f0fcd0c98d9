// What is written of an attempt whose outcome is unknown: when the effect is tried again, or that it is exhausted.
import { sql } from 'kysely';
import type { App } from '../app.ts';
import type { Db } from '../database/orm.ts';
import { inTransaction } from '../database/transaction.ts';
import type { EffectRow } from '../entities/rows.ts';
import { assertHeld, dueIn } from '../outbox/leases.ts';
import { isUnsent, OutcomeUnknown } from '../provider/errors.ts';
import { safeMessageOf } from '../provider/safe-message.ts';
import { afterAttempt, MOST_ATTEMPTS } from './backoff.ts';

/** @throws LeaseLost when another run has the effect: it knows that a request may be on its way. */
export async function postpone(app: App, effect: EffectRow, error: unknown): Promise<void> {
  const { attempts, delayMs } = afterAttempt(effect.attempts, error);
  const isExhausted = attempts >= MOST_ATTEMPTS;
  // In an outage there are thousands of these, and the outage itself has been logged.
  app.log[isUnsent(error) ? 'debug' : 'warn'](
    { code: 'effect.outcome_unknown', error, effect: effect.type, effectId: effect.id, attempts, delayMs },
    'the outcome of the effect is unknown',
  );
  await inTransaction(app.db, async (tx) => {
    const postponed = await tx
      .updateTable('effects')
      .set({
        attempts,
        last_error: safeMessageOf(error),
        status: isExhausted ? 'exhausted' : 'queued',
        // Never taken back: another run may have gone unanswered since this one began. By the database's clock: another process
        // judges it.
        ...(mayHaveActed(error) && { last_unknown_at: sql<Date>`now()` }),
        due_at: isExhausted ? null : dueIn(delayMs),
        leased_by: null,
      })
      .where('id', '=', effect.id)
      .where('user_id', '=', effect.user_id)
      .where('status', '=', 'queued')
      .where('lease_token', '=', effect.lease_token)
      .executeTakeFirst();
    assertHeld('effect', effect.id, postponed);
    if (isExhausted) await pollResources(tx, effect, app.clock.now());
  });
}

/** An error that does not come from the call may have come between the provider's answer and our record of it. */
const mayHaveActed = (error: unknown): boolean => !(error instanceof OutcomeUnknown) || error.mayHaveActed;

/** What was given up on may exist at the provider all the same: polls go on where the attempts ended. */
async function pollResources(
  tx: Db,
  { subject_id: id, user_id: userId }: EffectRow,
  now: Date,
): Promise<void> {
  await tx
    .updateTable('provider_resources')
    .set({ next_poll_at: now })
    .where('subject_id', '=', id)
    .where('user_id', '=', userId)
    .where('next_poll_at', 'is', null)
    .execute();
}

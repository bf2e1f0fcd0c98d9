// Runs one ordered effect: is it still wanted, does it come to an end, and if nobody can tell, when is it tried again.
import { type RawBuilder, sql } from 'kysely';
import type { App } from '../app.ts';
import type { Db } from '../database/orm.ts';
import type { EffectRow } from '../entities/rows.ts';
import { scheduleEffect } from '../outbox/enqueue.ts';
import { isUnsent, OutcomeUnknown } from '../provider/errors.ts';
import { afterAttempt, MOST_ATTEMPTS } from './backoff.ts';
import { completeEffect } from './complete.ts';
import type { Ending } from './effect.ts';
import { effectHandlers } from './index.ts';
import { logEnd } from './log.ts';

/** @param isRerun whether somebody began this job before and died over it, so that a request may be on its way. */
export async function runEffect(app: App, effectId: string, isRerun = false): Promise<void> {
  const found = await findEffect(app, effectId);
  if (!found || found.effect.status !== 'queued') return;
  const effect = isRerun ? await countLostAttempt(app, found.effect) : found.effect;
  try {
    const isFinished = found.isWanted && (await carryOut(app, effect)) === 'finished';
    const status = found.isWanted ? 'done' : 'superseded';
    if (isFinished) return;
    await completeEffect(app.db, effect, status, app.clock.now());
    logEnd(app, effect, { end: status });
  } catch (error) {
    await postpone(app, effect, error);
  }
}

async function carryOut(app: App, effect: EffectRow): Promise<Ending> {
  const handler = effectHandlers[effect.type as keyof typeof effectHandlers];
  // Ordered by a newer version than this one, perhaps, which will carry it out.
  if (!handler) throw new Error(`no handler for the effect ${effect.type}`);
  return handler(app, effect);
}

/** The effect, and whether the transition that ordered it is still its row's latest: only then may it act. */
async function findEffect(app: App, id: string): Promise<{ effect: EffectRow; isWanted: boolean } | null> {
  const row = await app.db
    .selectFrom('effects')
    .selectAll('effects')
    .select(sql<number | null>`case effects.subject_kind ${latestOfEachKind} end`.as('latest'))
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) return null;
  const { latest, ...effect } = row;
  return { effect, isWanted: latest === effect.seq };
}

/** Where each kind of subject counts what happens to it. */
const counters = {
  kyc: sql`select seq from kyc_verifications`,
  provider_account: sql`select seq from provider_accounts`,
  pix_payment: sql`select seq from pix_payments`,
  withdraw: sql`select seq from withdraws`,
  bank_details: sql`select version from bank_details`,
} satisfies Record<EffectRow['subject_kind'], RawBuilder<unknown>>;

const latestOfEachKind = sql.join(
  Object.entries(counters).map(
    ([kind, counter]) => sql`when ${sql.lit(kind)} then (${counter} where id = effects.subject_id)`,
  ),
  sql` `,
);

/** Somebody began this effect and died over it: a request may be on its way. */
export const countLostAttempt = (app: App, { id }: { id: string }): Promise<EffectRow> =>
  app.db
    .updateTable('effects')
    .set({ attempts: sql<number>`attempts + 1`, last_unknown_at: app.clock.now() })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();

// The next attempt and the record of this one are one commit: neither is without the other.
async function postpone(app: App, effect: EffectRow, error: unknown): Promise<void> {
  const { attempts, delayMs } = afterAttempt(effect.attempts, error);
  const isExhausted = attempts >= MOST_ATTEMPTS;
  const now = app.clock.now();
  // In an outage there are thousands of these, and the outage itself has been logged.
  app.log[isUnsent(error) ? 'debug' : 'warn'](
    { error, effect: effect.type, effectId: effect.id, attempts, delayMs },
    'effect outcome unknown',
  );
  await app.db.transaction().execute(async (tx) => {
    const postponed = await tx
      .updateTable('effects')
      .set({
        attempts,
        last_error: whatWentWrong(error),
        status: isExhausted ? 'exhausted' : 'queued',
        // Never taken back: another run may have gone unanswered since this one began.
        ...(mayHaveActed(error) && { last_unknown_at: now }),
        next_attempt_at: isExhausted ? null : new Date(now.getTime() + delayMs),
      })
      .where('id', '=', effect.id)
      // Somebody else may have brought it to its end meanwhile: then there is nothing left to try.
      .where('status', '=', 'queued')
      .executeTakeFirst();
    if (postponed.numUpdatedRows !== 1n) return;
    if (isExhausted) await watchResources(tx, effect, now);
    else await scheduleEffect(tx, { id: effect.id, type: effect.type, delayMs });
  });
}

/** What is no word of the provider's may have come between its answer and our record of it. */
const mayHaveActed = (error: unknown): boolean => !(error instanceof OutcomeUnknown) || error.mayHaveActed;

/** What was given up on may exist at the provider all the same: the checks go on where the attempts ended. */
async function watchResources(tx: Db, { subject_id: id }: EffectRow, now: Date): Promise<void> {
  await tx
    .updateTable('provider_resources')
    .set({ next_poll_at: now })
    .where('subject_id', '=', id)
    .where('next_poll_at', 'is', null)
    .execute();
}

// Only messages of our own making are kept: another's may quote the value that it stumbled over.
const whatWentWrong = (error: unknown): string => {
  if (error instanceof OutcomeUnknown) return error.message;
  return error instanceof Error ? error.name : 'unknown';
};

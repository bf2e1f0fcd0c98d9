// What users decide about themselves: their name at any time, their home currency once.

import type { App } from '../app.ts';
import { lockUser } from '../balance/reserve.ts';
import type { Db } from '../database/orm.ts';
import type { HomeCurrency } from '../domain/currency.ts';
import { Refusal } from '../domain/refusals.ts';
import type { UserRow } from '../entities/rows.ts';
import { enqueueEffect } from '../outbox/enqueue.ts';
import { transaction } from '../outbox/transaction.ts';

type Changes = { homeCurrency?: HomeCurrency; displayName?: string };

/** @throws Refusal `home_currency_already_set` when another one was chosen before. */
export function updateUser(
  app: App,
  userId: string,
  { homeCurrency, displayName }: Changes,
): Promise<UserRow> {
  return transaction(app, async (tx) => {
    const locked = await lockUser(tx, userId);
    const isFirstChoice = homeCurrency !== undefined && locked.home_currency === null;
    if (homeCurrency !== undefined && !isFirstChoice && locked.home_currency !== homeCurrency)
      throw new Refusal('home_currency_already_set');
    if (isFirstChoice) await enqueueAccounts(tx, userId, app.clock.now());
    return tx
      .updateTable('users')
      .set({
        home_currency: homeCurrency ?? locked.home_currency,
        display_name: displayName ?? locked.display_name,
      })
      .where('id', '=', userId)
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}

/** A user who was verified before choosing gets the accounts now; otherwise completing the verification enqueues them. */
async function enqueueAccounts(tx: Db, userId: string, now: Date): Promise<void> {
  const kyc = await tx
    .selectFrom('kyc_verifications')
    .select(['id', 'seq'])
    .where('user_id', '=', userId)
    .where('state', '=', 'completed')
    .executeTakeFirst();
  if (!kyc) return;
  await enqueueEffect(tx, {
    subject: { kind: 'kyc', id: kyc.id, userId, seq: kyc.seq },
    effect: { type: 'provisionAccounts' },
    resource: null,
    now,
  });
}

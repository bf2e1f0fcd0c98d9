// What users decide about themselves: their name at any time, their home currency once.

import type { App } from '../app.ts';
import { lockUser } from '../balance/reserve.ts';
import type { Db } from '../database/orm.ts';
import type { HomeCurrency } from '../domain/currency.ts';
import { Refusal } from '../domain/refusals.ts';
import type { Entity } from '../entities/rows.ts';
import { enqueueEffect } from '../outbox/enqueue.ts';
import { transaction } from '../outbox/hand-off.ts';
import { findKyc } from '../sql/kyc-verifications.ts';
import { updateProfile } from '../sql/users.ts';

type Changes = { homeCurrency?: HomeCurrency; displayName?: string };

/** @throws Refusal `home_currency_already_set` when another one was chosen before. */
export function updateUser(
  app: App,
  userId: string,
  { homeCurrency, displayName }: Changes,
): Promise<Entity<'User'>> {
  return transaction(app, async (tx) => {
    const locked = await lockUser(tx, userId);
    const isFirstChoice = homeCurrency !== undefined && locked.homeCurrency === null;
    if (homeCurrency !== undefined && !isFirstChoice && locked.homeCurrency !== homeCurrency)
      throw new Refusal('home_currency_already_set');
    if (isFirstChoice) await enqueueAccounts(tx, userId, app.clock.now());
    const updated = await updateProfile(tx, {
      id: userId,
      homeCurrency: homeCurrency ?? locked.homeCurrency,
      displayName: displayName ?? locked.displayName,
    });
    if (!updated) throw new Error(`the user ${userId} is missing`);
    return updated;
  });
}

/** A user who was verified before choosing gets the accounts now; otherwise completing the verification enqueues them. */
async function enqueueAccounts(tx: Db, userId: string, now: Date): Promise<void> {
  const kyc = await findKyc(tx, { userId });
  if (kyc?.state !== 'completed') return;
  await enqueueEffect(tx, {
    subject: { kind: 'kyc', id: kyc.id, userId, seq: kyc.seq },
    effect: { type: 'provisionAccounts' },
    resource: null,
    now,
  });
}

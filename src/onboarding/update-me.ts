// PATCH /me: changes the user's name at any time, and sets the home currency once.
import { type Handler, ok } from '../api/operation.ts';
import type { Clock } from '../domain/clock.ts';
import type { HomeCurrency } from '../domain/currency.ts';
import { isPlainText } from '../domain/plain-text.ts';
import { invalid, Refusal } from '../domain/refusals.ts';
import { required } from '../domain/required.ts';
import { enqueueEffect } from '../outbox/enqueue.ts';
import { type Committing, type EnqueuingTx, transaction } from '../outbox/hand-off.ts';
import type { Sealer } from '../security/sealer.ts';
import { findKyc } from '../tables/kyc-verifications/statements.ts';
import { lockUser } from '../tables/users/lock-user.ts';
import { type KnownUser, updateProfile } from '../tables/users/statements.ts';
import { userFrom } from './present-user.ts';

export const updateMe: Handler<'updateMe', Committing & { sealer: Sealer; clock: Clock }> = async (
  { user, body },
  { db, outbox, sealer, clock },
) => {
  const displayName = body.displayName?.trim();
  if (displayName !== undefined && !isPlainText(displayName))
    throw invalid('/body/displayName', 'must not have hidden characters', 'invalid_name');
  const changes = { ...body, ...(displayName !== undefined && { displayName }) };
  const updated = await updateUser({ db, outbox, clock }, user.id, changes);
  return ok(userFrom(await sealer.openerOf(user.id), updated));
};

type Changes = { homeCurrency?: HomeCurrency; displayName?: string };

/** Updates the profile. @throws Refusal `home_currency_already_set` if another currency was chosen before. */
export function updateUser(
  { db, outbox, clock }: Committing & { clock: Clock },
  userId: string,
  { homeCurrency, displayName }: Changes,
): Promise<KnownUser> {
  return transaction({ db, outbox }, async (tx) => {
    const locked = await lockUser(tx, userId);
    const isFirstChoice = homeCurrency !== undefined && locked.homeCurrency === null;
    if (homeCurrency !== undefined && !isFirstChoice && locked.homeCurrency !== homeCurrency)
      throw new Refusal('home_currency_already_set');
    if (isFirstChoice) await enqueueAccounts(tx, userId, clock.now());
    const updated = await updateProfile(tx, {
      id: userId,
      homeCurrency: homeCurrency ?? locked.homeCurrency,
      displayName: displayName ?? locked.displayName,
    });
    return required(updated, `the user ${userId}`);
  });
}

/**
 * Enqueues the creation of accounts for a user who was verified before choosing a currency. For other users,
 * completing the verification enqueues it.
 */
async function enqueueAccounts(tx: EnqueuingTx, userId: string, now: Date): Promise<void> {
  const kyc = await findKyc(tx, { userId });
  if (kyc?.state !== 'completed') return;
  await enqueueEffect(tx, {
    subject: { kind: 'kyc', id: kyc.id, userId, seq: kyc.seq },
    effect: { type: 'provisionAccounts' },
    resource: null,
    now,
  });
}

// PATCH /me: the name may change at any time, the home currency is chosen once.
import { Refusal } from '../api/errors.ts';
import { type Handler, ok } from '../api/operation.ts';
import { lockUser } from '../balance/reserve.ts';
import { orderEffect } from '../effects/order.ts';
import { userFrom } from '../queries/user.ts';

export const updateMe: Handler<'updateMe'> = async ({ user, body }, app) => {
  const { homeCurrency, displayName } = body;
  const updated = await app.db.transaction().execute(async (tx) => {
    const locked = await lockUser(tx, user.id);
    const isFirstChoice = homeCurrency !== undefined && locked.home_currency === null;
    if (homeCurrency !== undefined && !isFirstChoice && locked.home_currency !== homeCurrency)
      throw new Refusal('home_currency_already_set');
    if (isFirstChoice) await orderAccounts(tx, user.id, app.clock.now());
    return tx
      .updateTable('users')
      .set({
        home_currency: homeCurrency ?? locked.home_currency,
        display_name: displayName ?? locked.display_name,
      })
      .where('id', '=', user.id)
      .returningAll()
      .executeTakeFirstOrThrow();
  });
  return ok(await userFrom(app.sealer, updated));
};

/** A user who was verified before choosing gets the accounts now; otherwise completing the verification orders them. */
async function orderAccounts(tx: Parameters<typeof lockUser>[0], userId: string, now: Date): Promise<void> {
  const kyc = await tx
    .selectFrom('kyc_verifications')
    .select(['id', 'seq'])
    .where('user_id', '=', userId)
    .where('state', '=', 'completed')
    .executeTakeFirst();
  if (!kyc) return;
  await orderEffect(tx, {
    subject: { kind: 'kyc', id: kyc.id, userId, seq: kyc.seq },
    effect: { type: 'provisionAccounts' },
    resource: null,
    now,
  });
}

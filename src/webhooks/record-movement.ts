// A movement on one of a user's accounts: a deposit becomes a transaction, once; anything else only stales the balance.
import type { App } from '../app.ts';
import { dropBalance } from '../balance/drop.ts';
import { newId } from '../domain/ids.ts';
import type { Movement } from '../provider/port.ts';
import type { Outcome } from './outcome.ts';

export async function recordMovement(
  app: App,
  nudge: { accountRef: string; providerRef: string },
): Promise<Outcome> {
  const account = await app.db
    .selectFrom('provider_accounts')
    .innerJoin('users', 'users.id', 'provider_accounts.user_id')
    .select(['users.id as userId', 'users.home_currency', 'provider_accounts.currency'])
    .where('provider_account_id', '=', nudge.accountRef)
    .executeTakeFirst();
  if (!account) return { status: 'unmatched', why: 'no account of ours' };
  if (account.currency !== account.home_currency)
    return { status: 'ignored', why: 'not on the home account' };

  const movement = await app.provider.getMovement(nudge.accountRef, nudge.providerRef);
  const isDeposit = movement.direction === 'credit' && movement.kind === 'deposit';
  const inserted = isDeposit && (await recordDeposit(app, account.userId, movement));
  if (!isDeposit) await dropBalance(app.db, account.userId);
  if (inserted) return { status: 'applied', why: null };
  return { status: 'ignored', why: isDeposit ? 'deposit recorded before' : 'not a deposit' };
}

/** @returns whether this call recorded it; the movement's id is unique, so it happens once. */
export async function recordDeposit(app: App, userId: string, movement: Movement): Promise<boolean> {
  const now = app.clock.now();
  return app.db.transaction().execute(async (tx) => {
    const inserted = await tx
      .insertInto('transactions')
      .values({
        id: newId(),
        user_id: userId,
        type: 'deposit',
        status: 'completed',
        source_currency: movement.currency,
        source_amount_minor: movement.amountMinor,
        provider: app.config.provider.name,
        provider_ref: movement.providerRef,
        created_at: now,
        completed_at: now,
      })
      .onConflict((conflict) => conflict.columns(['provider', 'provider_ref']).doNothing())
      .executeTakeFirst();
    if (inserted.numInsertedOrUpdatedRows !== 1n) return false;
    await dropBalance(tx, userId);
    return true;
  });
}

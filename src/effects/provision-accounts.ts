// Decides which accounts a verified user needs and begins each of them once. Waits for the home currency to be chosen.
import type { App } from '../app.ts';
import type { Db } from '../database/orm.ts';
import type { Currency } from '../domain/currency.ts';
import { newId } from '../domain/ids.ts';
import type { EffectRow } from '../entities/rows.ts';
import { begin } from '../lifecycle/advance.ts';
import { providerAccount } from '../lifecycle/provider-account.ts';
import { transaction } from '../outbox/transaction.ts';
import { causeOf, type EffectHandler } from './effect.ts';

export const provisionAccounts: EffectHandler = async (app, effect) => {
  await transaction(app, async (tx) => {
    // The request that sets the home currency takes the same lock: the second of the two sees both.
    const user = await tx
      .selectFrom('users')
      .select(['home_currency'])
      .where('id', '=', effect.user_id)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (!user?.home_currency) return;
    const wanted: Currency[] = [
      user.home_currency,
      'BRL',
      ...(app.config.usdcAccountsEnabled ? ['USDC' as const] : []),
    ];
    await beginMissing(app, tx, effect, wanted);
  });
  return { kind: 'done' };
};

async function beginMissing(app: App, tx: Db, effect: EffectRow, wanted: Currency[]): Promise<void> {
  const existing = await tx
    .selectFrom('provider_accounts')
    .select('currency')
    .where('user_id', '=', effect.user_id)
    .execute();
  const now = app.clock.now();
  for (const currency of wanted) {
    if (existing.some((account) => account.currency === currency)) continue;
    const row = {
      id: newId(),
      userId: effect.user_id,
      currency,
      providerAccountId: null,
      movementsCursor: null,
      depositInstructionsSealed: null,
      depositInstructionsSealedAt: null,
      createdAt: now,
    };
    await begin(tx, providerAccount, row, undefined, causeOf(effect), now);
  }
}

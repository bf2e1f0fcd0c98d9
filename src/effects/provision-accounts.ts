// Creates the rows of the accounts that a verified user needs, each of them once. Does nothing until the home currency is chosen.

import type { Clock } from '../domain/clock.ts';
import type { Currency } from '../domain/currency.ts';
import { newId } from '../domain/ids.ts';
import { begin } from '../lifecycle/advance.ts';
import { providerAccount } from '../lifecycle/provider-account.ts';
import { type EnqueuingTx, transaction } from '../outbox/hand-off.ts';
import { listAccounts } from '../tables/provider-accounts/statements.ts';
import type { Entity } from '../tables/rows.ts';
import { lockUserRow } from '../tables/users/statements.ts';
import { causeOf, type EffectHandler } from './effect.ts';

export const provisionAccounts: EffectHandler = async ({ db, outbox, clock, config }, effect) => {
  await transaction({ db, outbox }, async (tx) => {
    // The request that sets the home currency takes the same lock, so the later of the two sees both changes.
    const user = await lockUserRow(tx, { userId: effect.userId });
    if (!user?.homeCurrency) return;
    const wanted: Currency[] = [
      user.homeCurrency,
      'BRL',
      ...(config.usdcAccountsEnabled ? ['USDC' as const] : []),
    ];
    await beginMissing(clock, tx, effect, wanted);
  });
  return { kind: 'done' };
};

async function beginMissing(
  clock: Clock,
  tx: EnqueuingTx,
  effect: Entity<'Effect'>,
  wanted: Currency[],
): Promise<void> {
  const existing = await listAccounts(tx, { userId: effect.userId });
  const now = clock.now();
  for (const currency of wanted) {
    if (existing.some((account) => account.currency === currency)) continue;
    const row = {
      id: newId(),
      userId: effect.userId,
      currency,
      providerAccountId: null,
      movementsCursor: null,
      depositInstructionsSealed: null,
      depositInstructionsSealedAt: null,
      depositHash: null,
      createdAt: now,
    };
    await begin(tx, providerAccount, row, undefined, causeOf(effect), now);
  }
}

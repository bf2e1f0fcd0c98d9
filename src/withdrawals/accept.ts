// Accepts a withdrawal: writes the customer's transaction, the withdrawal under the same id, and its effect, in one commit.

import { rails } from '../domain/rails.ts';
import { begin } from '../lifecycle/advance.ts';
import type { Cause } from '../lifecycle/lifecycle.ts';
import { withdraw } from '../lifecycle/withdraw.ts';
import type { Config } from '../platform/config/config.ts';
import type { Db } from '../platform/database/orm.ts';
import type { Entity } from '../platform/entities/rows.ts';
import { insertTransaction } from '../platform/sql/transactions.ts';

export type AcceptedWithdraw = {
  id: string;
  amountMinor: number;
  bankDetails: Pick<Entity<'BankDetails'>, 'id' | 'userId' | 'currency' | 'version'>;
  destinationSealed: Buffer;
};

/**
 * Writes an accepted withdrawal. The caller holds the user's lock and has found the balance sufficient.
 * @param now the database's clock. It decides whether a later withdrawal counts as a repetition of this one.
 */
export async function acceptWithdraw(
  { config }: { config: Config },
  tx: Db,
  { id, amountMinor, bankDetails, destinationSealed }: AcceptedWithdraw,
  cause: Cause,
  now: Date,
  lifecycle: typeof withdraw = withdraw,
): Promise<Entity<'Withdraw'>> {
  const { userId, currency } = bankDetails;
  const { rail, expectedSettlementSeconds } = rails[currency];
  await insertTransaction(tx, {
    id,
    userId,
    type: 'withdraw',
    status: 'settling',
    sourceCurrency: currency,
    sourceAmountMinor: amountMinor,
    destCurrency: null,
    destAmountMinor: null,
    fxRate: null,
    provider: config.provider.name,
    providerRef: null,
    sourceReferenceSealed: null,
    failure: null,
    createdAt: now,
    completedAt: null,
  });
  const row = {
    id,
    userId,
    currency,
    amountMinor,
    rail,
    bankDetailsId: bankDetails.id,
    bankDetailsVersion: bankDetails.version,
    destinationSealed,
    expectedSettlementSeconds,
    failure: null,
    createdAt: now,
  };
  return begin(tx, lifecycle, row, { amountMinor, currency }, cause, now);
}

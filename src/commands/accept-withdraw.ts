// An accepted withdrawal: the customer's transaction, the withdrawal under the same id, and its effect, in one commit.
import type { App } from '../app.ts';
import type { Db } from '../database/orm.ts';
import { rails } from '../domain/rails.ts';
import type { BankDetailsRow, WithdrawRow } from '../entities/rows.ts';
import { begin } from '../lifecycle/advance.ts';
import type { Cause } from '../lifecycle/lifecycle.ts';
import { withdraw } from '../lifecycle/withdraw.ts';

export type AcceptedWithdraw = {
  id: string;
  amountMinor: number;
  bankDetails: Pick<BankDetailsRow, 'id' | 'user_id' | 'currency' | 'version'>;
  destinationSealed: Buffer;
};

/** The caller holds the user's lock and has found the balance sufficient. */
export async function acceptWithdraw(
  app: App,
  tx: Db,
  { id, amountMinor, bankDetails, destinationSealed }: AcceptedWithdraw,
  cause: Cause,
  lifecycle: typeof withdraw = withdraw,
): Promise<WithdrawRow> {
  const now = app.clock.now();
  const { user_id, currency } = bankDetails;
  const { rail, expectedSettlementSeconds } = rails[currency];
  await tx
    .insertInto('transactions')
    .values({
      id,
      user_id,
      type: 'withdraw',
      status: 'settling',
      source_currency: currency,
      source_amount_minor: amountMinor,
      provider: app.config.provider.name,
      created_at: now,
    })
    .execute();
  const row = {
    id,
    user_id,
    currency,
    amount_minor: amountMinor,
    rail,
    bank_details_id: bankDetails.id,
    bank_details_version: bankDetails.version,
    destination_sealed: destinationSealed,
    expected_settlement_seconds: expectedSettlementSeconds,
    failure: null,
    created_at: now,
  };
  return begin(tx, lifecycle, row, { amountMinor, currency }, cause, now);
}

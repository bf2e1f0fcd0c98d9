// The ledger entries of a payout: its amount is debited from the account first, then paid out or credited back.

import type { SandboxContext } from '../context.ts';
import { outside, payingOut, post, shortfall } from '../ledger.ts';
import type { AccountRow, PayoutRow } from '../store/rows.ts';
import { assertCovers } from './accounts.ts';
import { move } from './movements.ts';

/**
 * Debits the account. The provider pays the part of the amount that is not debited.
 * @throws a refusal if the account does not cover the debit.
 */
export function takeMoney(context: SandboxContext, source: AccountRow, row: PayoutRow): void {
  const { amount, debited, currency } = row;
  assertCovers(context, source, debited);
  move(context, source, 'PAYOUT', -debited, payingOut(currency), row);
  bear(context, row, amount - debited);
}

/** Moves the payout's money out of the provider. */
export function payOut(context: SandboxContext, { amount, currency, origin_id }: PayoutRow): void {
  post(context, 'PAYOUT_COMPLETED', origin_id, [
    { account: payingOut(currency), currency, amount: -amount },
    { account: outside(currency), currency, amount },
  ]);
}

/**
 * Returns the money, from transit or from outside, to the account and the provider, as each had paid.
 * @param refunded what the account got back before.
 */
export function giveBack(
  context: SandboxContext,
  source: AccountRow,
  row: PayoutRow,
  refunded: number,
): void {
  const { amount, debited, currency } = row;
  const from = row.status === 'COMPLETED' ? outside(currency) : payingOut(currency);
  move(context, source, 'PAYOUT_REFUND', debited - refunded, from, row);
  bear(context, row, debited - amount, from);
}

function bear(
  context: SandboxContext,
  row: PayoutRow,
  amount: number,
  other = payingOut(row.currency),
): void {
  const { currency, origin_id } = row;
  if (amount === 0) return;
  post(context, 'SHORTFALL', origin_id, [
    { account: shortfall(currency), currency, amount: -amount },
    { account: other, currency, amount },
  ]);
}

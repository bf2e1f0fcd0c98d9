// The ledger entries of a payout: debited from the account first, then paid out or credited back.
import { balance, customer, outside, payingOut, post, shortfall } from '../ledger.ts';
import type { AccountRow, PayoutRow } from '../store/rows.ts';
import type { World } from '../world.ts';
import { assertCovers } from './accounts.ts';
import { move } from './movements.ts';

/** The debit: the amount, which the account must cover, or its balance where the provider pays the rest. In minor units. */
export function debitFor(world: World, source: AccountRow, amount: number, mayLack = false): number {
  const held = balance(world, customer(source.uuid));
  if (held < amount && !mayLack) assertCovers(world, source, amount);
  return Math.min(held, amount);
}

/** Debits the account; the provider bears what it lacks. */
export function takeMoney(world: World, source: AccountRow, row: PayoutRow): void {
  const { amount, debited, currency, origin_id } = row;
  if (debited > 0) move(world, source, 'PAYOUT', -debited, payingOut(currency), origin_id);
  bear(world, row, amount - debited);
}

/** The money leaves. */
export function payOut(world: World, { amount, currency, origin_id }: PayoutRow): void {
  post(world, 'PAYOUT_COMPLETED', origin_id, [
    { account: payingOut(currency), currency, amount: -amount },
    { account: outside(currency), currency, amount },
  ]);
}

/** The money is returned, from transit or from outside, to those who bore it. */
export function giveBack(world: World, source: AccountRow, row: PayoutRow): void {
  const { amount, debited, currency, origin_id } = row;
  const held = row.status === 'COMPLETED' ? outside(currency) : payingOut(currency);
  if (debited > 0) move(world, source, 'PAYOUT_REFUND', debited, held, origin_id);
  bear(world, row, debited - amount, held);
}

function bear(world: World, row: PayoutRow, amount: number, held = payingOut(row.currency)): void {
  const { currency, origin_id } = row;
  if (amount === 0) return;
  post(world, 'SHORTFALL', origin_id, [
    { account: shortfall(currency), currency, amount: -amount },
    { account: held, currency, amount },
  ]);
}

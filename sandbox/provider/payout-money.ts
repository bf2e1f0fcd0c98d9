// The ledger entries of a payout: its amount is debited from the account first, then paid out or credited back.
import { balance, customer, outside, payingOut, post, shortfall } from '../ledger.ts';
import type { AccountRow, PayoutRow } from '../store/rows.ts';
import type { World } from '../world.ts';
import { assertCovers } from './accounts.ts';
import { move } from './movements.ts';

/**
 * Returns the debit in minor units: the amount, which the account must cover, or the account's balance if the provider pays the
 * rest.
 */
export function debitFor(world: World, source: AccountRow, amount: number, mayLack = false): number {
  const held = balance(world, customer(source.uuid));
  if (held < amount && !mayLack) assertCovers(world, source, amount);
  return Math.min(held, amount);
}

/** Debits the account. The provider pays what the account lacks. */
export function takeMoney(world: World, source: AccountRow, row: PayoutRow): void {
  const { uuid, amount, debited, currency, origin_id } = row;
  if (debited > 0) move(world, source, 'PAYOUT', -debited, payingOut(currency), origin_id, uuid);
  bear(world, row, amount - debited);
}

/** Moves the payout's money out of the provider. */
export function payOut(world: World, { amount, currency, origin_id }: PayoutRow): void {
  post(world, 'PAYOUT_COMPLETED', origin_id, [
    { account: payingOut(currency), currency, amount: -amount },
    { account: outside(currency), currency, amount },
  ]);
}

/** Returns the money, from transit or from outside, to the account and the provider, as each had paid. */
export function giveBack(world: World, source: AccountRow, row: PayoutRow): void {
  const { uuid, amount, debited, currency, origin_id } = row;
  const held = row.status === 'COMPLETED' ? outside(currency) : payingOut(currency);
  if (debited > 0) move(world, source, 'PAYOUT_REFUND', debited, held, origin_id, uuid);
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

// Decides by the movements of a BRL account whether a failed payout was credited back. A provider may name a movement's payout by our
// handle or by its own uuid, or not name it, and may mix these. So a name decides where it is given. Otherwise all debits and credits
// of the amount are compared with all payouts of the amount.

import { isUuid } from '../domain/ids.ts';
import { formatDecimal } from '../domain/money.ts';
import type { LookupResult, Movement, PayoutSnapshot } from '../provider/port.ts';

export type AccountPayout = {
  /** The handle and the provider's uuids, by which a movement may name the payout. */
  names: string[];
  /** The number of its debits, at least: each attempt debits the account. 0 if the provider refused every creation. */
  attempts: number;
  /** How many of the objects under the handle are pending or completed. The account misses one amount for each of them. */
  outstanding: number;
};

/** @param found what a look-up of the handle found. Objects of another amount are not counted: neither are their movements. */
export const accountPayout = (
  handle: string,
  found: LookupResult<PayoutSnapshot> | null,
  amountMinor: number,
): AccountPayout => {
  const objects = (found === null ? [] : [found, ...(found.others ?? [])]).filter(
    (one) => one.amountMinor === amountMinor && one.currency === 'BRL',
  );
  return {
    names: [handle, ...objects.map(({ providerRef }) => providerRef.toLowerCase())],
    attempts: objects.reduce((sum, { attempt }) => sum + attempt, 0),
    outstanding: objects.filter(isOutstanding).length,
  };
};

const isOutstanding = ({ status }: PayoutSnapshot): boolean => status === 'pending' || status === 'completed';

export const isOf = ({ names }: AccountPayout, { sourceReference }: Movement): boolean =>
  sourceReference !== null && names.includes(sourceReference.toLowerCase());

/** Whether the movement names none of these payouts, but another one. A text that is not a uuid names nothing. */
const isOfAnother = (payouts: AccountPayout[], movement: Movement): boolean =>
  isUuid(movement.sourceReference) && !payouts.some((payout) => isOf(payout, movement));

/** Returns whether movements that name the payout credit each of its attempts. */
export function isCreditedByName(payout: AccountPayout, movements: Movement[]): boolean {
  const { debits, credits } = countsOf(movements.filter((one) => isOf(payout, one)));
  return payout.attempts > 0 && credits === Math.max(payout.attempts, debits);
}

/**
 * Whether the movements agree with what the provider says of all these payouts: the account misses one amount for each outstanding
 * payout and none for the others, and there are enough debits for all attempts.
 * @param payouts all payouts of the amount.
 * @param movements the account's movements of the amount.
 */
export function addsUp(payouts: AccountPayout[], movements: Movement[]): boolean {
  const counted = movements.filter((one) => !isOfAnother(payouts, one));
  const { debits, credits } = countsOf(counted);
  if (debits - credits !== sumOf(payouts.map(({ outstanding }) => outstanding))) return false;
  const unnamed = counted.filter((one) => !payouts.some((payout) => isOf(payout, one)));
  return sumOf(payouts.map((payout) => missingDebits(payout, counted))) <= countsOf(unnamed).debits;
}

/** The number of debits of the payout that no movement names. */
function missingDebits(payout: AccountPayout, movements: Movement[]): number {
  const { debits, credits } = countsOf(movements.filter((one) => isOf(payout, one)));
  return Math.max(0, Math.max(payout.attempts, payout.outstanding + credits) - debits);
}

/**
 * Returns why this movement cannot be the credit of the payout, null if it can.
 * @param movements the payouts' movements of the account, oldest first.
 */
export function whyNotCredit(
  payout: AccountPayout,
  amountMinor: number,
  movements: Movement[],
  creditRef: string,
): string | null {
  const index = movements.findIndex(({ providerRef }) => providerRef.toLowerCase() === creditRef);
  const credit = movements[index];
  if (credit?.direction !== 'credit' || credit.amountMinor !== amountMinor)
    return `the BRL account has no credit ${creditRef} of a payout of ${brl(amountMinor)}`;
  if (isOfAnother([payout], credit)) return `the credit ${creditRef} names another payout`;
  const isDebit = (one: Movement) => one.direction === 'debit' && one.amountMinor === amountMinor;
  const earlier = movements.slice(0, index).filter((one) => isDebit(one) && !isOfAnother([payout], one));
  const isDebitedLater = movements.slice(index).some((one) => isDebit(one) && isOf(payout, one));
  if (earlier.length < Math.max(1, payout.attempts) || isDebitedLater)
    return `the credit ${creditRef} is not later than the debit of the payout`;
  return null;
}

/** Returns the credit that a return of the payout uses: the newest that names it, or else the newest that names nothing. */
export function creditOf(payout: AccountPayout, movements: Movement[]): Movement | undefined {
  const credits = movements.filter(({ direction }) => direction === 'credit');
  return (
    credits.findLast((one) => isOf(payout, one)) ?? credits.findLast((one) => !isOfAnother([payout], one))
  );
}

/** The most movements that a sentence names. */
const MAX_NAMED = 20;

/** Names movements for operators, by uuid, direction, amount and time. Their references may be personal data and are left out. */
export function describeMovements(movements: Movement[]): string {
  if (movements.length === 0) return 'it has none of this amount';
  const described = movements
    .slice(-MAX_NAMED)
    .map(
      ({ providerRef, direction, amountMinor, createdAt }) =>
        `${providerRef} ${direction} ${brl(amountMinor)} ${createdAt.toISOString()}`,
    );
  const more = movements.length - described.length;
  return `${more > 0 ? `${more} older ones, ` : ''}${described.join(', ')}`;
}

const brl = (amountMinor: number): string => `BRL ${formatDecimal(amountMinor, 'BRL')}`;

const countsOf = (movements: Movement[]) => ({
  debits: movements.filter(({ direction }) => direction === 'debit').length,
  credits: movements.filter(({ direction }) => direction === 'credit').length,
});

const sumOf = (numbers: number[]): number => numbers.reduce((sum, one) => sum + one, 0);

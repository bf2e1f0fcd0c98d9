// Amounts that differ from the request or the quote. The provider really moves them: the ledger and the movements show
// them.

import type { ProviderFault } from '../fault-injection/kinds.ts';
import { type Currency, toMinor, writeAmount } from '../money.ts';
import type { Call } from '../provider/operation.ts';
import type { World } from '../world.ts';
import { type Occurrence, recordInjected, shouldInject, subjectOf } from './occurrence.ts';

/** An amount in minor units, and its meaning. */
export interface Sum {
  uuid: string;
  amount: number;
  currency: Currency;
}

type Covers = (amount: number) => boolean;

/** The debit of a conversion. An order may exceed the account's balance, chance never does. */
export const debitedInstead = (world: World, call: Call, quoted: Sum, covers: Covers): number =>
  wrongly(world, 'wrongDebit', 'source_amount', call, quoted, covers);

/** The delivery of a conversion. */
export const deliveredInstead = (world: World, call: Call, quoted: Sum): number =>
  wrongly(world, 'wrongDelivery', 'destination_amount', call, quoted, () => true);

/** The amount paid and debited by a payout: an order may exceed the account's balance. */
export const paidInstead = (world: World, call: Call, asked: Sum, covers: Covers): number =>
  wrongly(world, 'wrongPayout', 'amount', call, asked, covers);

/** Up to a tenth more or less, and never zero. */
export function anotherAmount(amount: number, { how }: Occurrence): number {
  const difference = Math.max(1, Math.ceil((amount * Math.abs(how - 0.5)) / 5));
  return how < 0.5 || amount <= difference ? amount + difference : amount - difference;
}

function wrongly(
  world: World,
  fault: ProviderFault,
  field: string,
  call: Call,
  truth: Sum,
  covers: Covers,
): number {
  const occurrence = shouldInject(world, fault, call);
  if (!occurrence) return truth.amount;
  const { uuid, amount, currency } = truth;
  const ordered = occurrence.details[field];
  const instead =
    ordered === undefined
      ? coveredAmount(amount, anotherAmount(amount, occurrence), covers)
      : toMinor(String(ordered), currency);
  const details = { should_be: writeAmount(amount, currency), [field]: writeAmount(instead, currency) };
  recordInjected(world, fault, { ...subjectOf(call), uuid }, details);
  return instead;
}

/** An increase becomes an equal decrease where the account does not cover it. */
const coveredAmount = (amount: number, another: number, covers: Covers): number =>
  covers(another) ? another : Math.max(1, 2 * amount - another);

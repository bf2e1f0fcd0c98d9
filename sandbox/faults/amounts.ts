// Amounts that differ from the request or the quote. The provider really moves them: the ledger and the movements show them.

import type { ProviderFault } from '../fault-injection/kinds.ts';
import { type Currency, toMinor, writeAmount } from '../money.ts';
import type { Call } from '../provider/operation.ts';
import type { World } from '../world.ts';
import { type Occurrence, recordInjected, shouldInject, subjectOf } from './occurrence.ts';

/** An amount in minor units, with the object and currency that it belongs to. */
export interface Sum {
  uuid: string;
  amount: number;
  currency: Currency;
}

type Covers = (amount: number) => boolean;

/** The debit of a conversion. A requested fault may exceed the account's balance; a random one never does. */
export const debitedInstead = (world: World, call: Call, quoted: Sum, covers: Covers): number =>
  wrongly(world, 'wrongDebit', 'source_amount', call, quoted, covers);

/** The amount that a conversion delivers. */
export const deliveredInstead = (world: World, call: Call, quoted: Sum): number =>
  wrongly(world, 'wrongDelivery', 'destination_amount', call, quoted, () => true);

/** The amount that a payout pays and debits. A requested fault may exceed the account's balance. */
export const paidInstead = (world: World, call: Call, asked: Sum, covers: Covers): number =>
  wrongly(world, 'wrongPayout', 'amount', call, asked, covers);

/** Returns an amount that is up to a tenth larger or smaller, and never zero. */
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

/** If the account does not cover an increase, it becomes an equal decrease. */
const coveredAmount = (amount: number, another: number, covers: Covers): number =>
  covers(another) ? another : Math.max(1, 2 * amount - another);

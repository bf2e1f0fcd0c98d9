// Amounts that are not what was asked for or quoted. The provider really moves them: the ledger and the movements say so.

import type { ProviderFault } from '../fault-injection/kinds.ts';
import { type Currency, toMinor, writeAmount } from '../money.ts';
import type { Call } from '../provider/operation.ts';
import type { World } from '../world.ts';
import { type Occurrence, recordInjected, shouldInject, subjectOf } from './occurrence.ts';

/** An amount in minor units, and what it is the amount of. */
export interface Sum {
  uuid: string;
  amount: number;
  currency: Currency;
}

type Covers = (amount: number) => boolean;

/** What a conversion debits. An order may ask for more than the account covers, chance never does. */
export const debitedInstead = (world: World, call: Call, quoted: Sum, covers: Covers): number =>
  wrongly(world, 'wrongDebit', 'source_amount', call, quoted, covers);

/** What a conversion delivers. */
export const deliveredInstead = (world: World, call: Call, quoted: Sum): number =>
  wrongly(world, 'wrongDelivery', 'destination_amount', call, quoted, () => true);

/** What a payout pays, and debits: by an order perhaps more than the account covers. */
export const paidInstead = (world: World, call: Call, asked: Sum, covers: Covers): number =>
  wrongly(world, 'wrongPayout', 'amount', call, asked, covers);

/** Up to a tenth more or less, and never nothing. */
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

/** More becomes as much less where the account does not hold it. */
const coveredAmount = (amount: number, another: number, covers: Covers): number =>
  covers(another) ? another : Math.max(1, 2 * amount - another);

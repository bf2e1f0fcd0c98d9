// The faults of a change: another amount moves than was requested, or the change gets another time or name.

import type { SandboxContext } from '../context.ts';
import { balance, customer } from '../ledger.ts';
import { CURRENCIES, type Currency, PLACES, toMinor, writeAmount } from '../money.ts';
import type { References } from '../options.ts';
import { currencyOf } from '../provider/accounts.ts';
import { present } from '../provider/index.ts';
import type { Call } from '../provider/operation.ts';
import { refuse } from '../provider/refusal.ts';
import type { Cause, NewRow } from '../seams.ts';
import type { MovementRow, PayoutRow, QuoteRow, Resource, Rows, TransferRow } from '../store/rows.ts';
import { chance } from './chance.ts';
import { firstStamp, type Stamped, shownTime, stampAfter } from './clock.ts';
import type { About } from './fault-injection.ts';
import { type Occurrence, oneOf, recordInjected, shouldInject, subjectOf } from './occurrence.ts';
import { keepPast } from './past.ts';
import type { ProviderFault } from './registry.ts';
import { isUnfunded } from './twins.ts';

const UNKNOWN_STATUS = 'ON_HOLD';

export function rowCreated<Table extends keyof Rows>(
  context: SandboxContext,
  table: Table,
  row: NewRow<Table>,
  { call, uuid: causeUuid }: Cause,
): NewRow<Table> {
  const values: object = row;
  if (table === 'movements') return { ...row, ...movement(context, values as MovementRow, causeUuid) };
  if (table === 'quotes') return call ? { ...row, ...quote(context, call, values as QuoteRow) } : row;
  keepPast(context, row.uuid, () => null);
  const stamped = { ...row, updated_at: firstStamp(context, call, row.uuid) };
  if (call && table === 'transfers') return { ...stamped, ...transfer(context, call, values as TransferRow) };
  if (call && table === 'payouts') return { ...stamped, ...payout(context, call, values as PayoutRow) };
  return stamped;
}

export function rowChanged<Table extends Resource>(
  context: SandboxContext,
  table: Table,
  before: Rows[Table],
  values: Partial<Rows[Table]>,
): object {
  keepPast(context, before.uuid, () => present[table](context, before as never));
  const updated_at = stampAfter(context, before as Stamped);
  const { status, debited, completed_at } = values as Partial<PayoutRow & { completed_at: number | null }>;
  if (table === 'payouts' && status === 'COMPLETED' && before.status === 'FAILED') {
    const about = { uuid: before.uuid, originId: (before as PayoutRow).origin_id };
    context.faultInjection.record('business.completedLate', about, { debited }, context.now());
  }
  return { ...values, updated_at, ...(completed_at && { completed_at: updated_at }) };
}

function transfer(context: SandboxContext, call: Call, row: TransferRow): Partial<TransferRow> {
  const { uuid, source_account_uuid: source } = row;
  const from = currencyOf(context, source);
  const to = currencyOf(context, row.destination_account_uuid);
  const source_amount = wrongAmount(
    context,
    call,
    'wrongDebit',
    'source_amount',
    { uuid, amount: row.source_amount, currency: from },
    (amount) => balance(context, customer(source)) >= amount,
  );
  const delivery = { uuid, amount: row.destination_amount, currency: to };
  const destination_amount = wrongAmount(context, call, 'wrongDelivery', 'destination_amount', delivery);
  describeWrongly(context, call, uuid, (occurrence) => ({
    destination_amount: writeAmount(anotherAmount(destination_amount, occurrence), to),
  }));
  return { source_amount, destination_amount };
}

function payout(context: SandboxContext, call: Call, row: PayoutRow): Partial<PayoutRow> {
  const { uuid, currency, source_account_uuid: source } = row;
  const available = balance(context, customer(source));
  const sum = { uuid, amount: row.amount, currency };
  const amount = wrongAmount(context, call, 'wrongPayout', 'amount', sum, (one) => available >= one);
  describeWrongly(context, call, uuid, (occurrence) => {
    const other = CURRENCIES.find((one) => one !== currency && PLACES[one] === PLACES[currency]) ?? currency;
    return occurrence.how < 0.5
      ? { currency: other }
      : { amount: writeAmount(anotherAmount(amount, occurrence), currency) };
  });
  return { amount, debited: isUnfunded(call) ? Math.min(available, amount) : amount };
}

/** An amount in minor units, with the object and currency that it belongs to. */
interface Sum {
  uuid: string;
  amount: number;
  currency: Currency;
}

/** The amount that really moves. A requested amount may exceed the account's balance; a random one never does. */
function wrongAmount(
  context: SandboxContext,
  call: Call,
  fault: ProviderFault,
  field: string,
  { uuid, amount, currency }: Sum,
  covers: (amount: number) => boolean = () => true,
): number {
  const occurrence = shouldInject(context, fault, call);
  if (!occurrence) return amount;
  const wanted = occurrence.details[field];
  const another = anotherAmount(amount, occurrence);
  // If the account does not cover an increase, it becomes an equal decrease.
  const random = covers(another) ? another : Math.max(1, 2 * amount - another);
  const moved = wanted === undefined ? random : toMinor(String(wanted), currency);
  const details = { should_be: writeAmount(amount, currency), [field]: writeAmount(moved, currency) };
  recordInjected(context, fault, { ...subjectOf(call), uuid }, details);
  return moved;
}

/** Returns an amount that is up to a tenth larger or smaller, and never zero. */
function anotherAmount(amount: number, { how }: Occurrence): number {
  const difference = Math.max(1, Math.ceil((amount * Math.abs(how - 0.5)) / 5));
  return how < 0.5 || amount <= difference ? amount + difference : amount - difference;
}

/** Decides how a new conversion or payout will be reported: with other values, with an unknown status, or by another name. */
function describeWrongly(
  context: SandboxContext,
  call: Call,
  uuid: string,
  otherValues: (occurrence: Occurrence) => object,
): void {
  const about = { ...subjectOf(call), uuid };
  const { lasting } = context.faultInjection;
  const misreported = shouldInject(context, 'misreported', call);
  if (misreported) {
    const { details } = misreported;
    misreport(context, about, Object.keys(details).length > 0 ? details : otherValues(misreported));
  }
  if (shouldInject(context, 'unreadable', call)) {
    lasting.begin('unreadable', uuid, null, { status: UNKNOWN_STATUS });
    recordInjected(context, 'unreadable', about, { status: UNKNOWN_STATUS });
  }
  const otherwise = shouldInject(context, 'otherReferences', call);
  if (otherwise) {
    const references = otherwise.details['references'] ?? oneOf(['uuid', 'nothing', 'mixed'], otherwise.how);
    lasting.begin('otherReferences', uuid, null, { references });
    recordInjected(context, 'otherReferences', about, { references });
  }
}

/** From now on, reports these fields with these values, true or not. An empty object ends it. */
export function report(context: SandboxContext, uuid: string, fields: unknown): object {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
    throw refuse('invalid_request', 'fields must be a JSON object');
  if (Object.keys(fields).length === 0) context.faultInjection.lasting.end('misreported', uuid);
  else misreport(context, { uuid, originId: null }, fields);
  return { uuid, fields };
}

function misreport(context: SandboxContext, about: About & { uuid: string }, fields: object): void {
  context.faultInjection.lasting.begin('misreported', about.uuid, null, { ...fields });
  recordInjected(context, 'misreported', about, { reported: { ...fields } });
}

/** Names the conversion or payout as configured, or as its fault says. The contract leaves it open; the store keeps the handle. */
function movement(
  context: SandboxContext,
  { created_at }: MovementRow,
  uuid: string | undefined,
): Partial<MovementRow> {
  const stamped = { created_at: shownTime(context, created_at) };
  if (uuid === undefined) return stamped;
  const { faultInjection, options, store } = context;
  const fault = faultInjection.lasting.find('otherReferences', uuid, context.now());
  const references = (fault?.['references'] as References | undefined) ?? options.references;
  if (references === 'handle') return stamped;
  // A mixed choice depends on the number of the movement and on the seed, and not on ids.
  const last = store.get<{ seq: number | null }>('select max(seq) as seq from movements');
  const how = chance(faultInjection.configuration().seed, 'references', (last?.seq ?? 0) + 1);
  const name = references === 'mixed' ? oneOf(['handle', 'uuid', 'nothing'] as const, how) : references;
  return { ...stamped, named_as: { handle: null, uuid, nothing: '' }[name] };
}

type Offer = Pick<
  QuoteRow,
  'source_currency' | 'source_amount' | 'destination_currency' | 'destination_amount'
>;

/** The quote as the provider offers it: correct, for a different amount or currency, or for nothing. */
function quote(context: SandboxContext, call: Call, row: QuoteRow): Partial<QuoteRow> {
  const occurrence = shouldInject(context, 'wrongQuote', call);
  if (!occurrence) return {};
  const isRequested = Object.keys(occurrence.details).length > 0;
  const offer = isRequested
    ? requestedOffer(row, occurrence.details)
    : { ...row, ...anotherOffer(row, occurrence) };
  const details = { should_be: summaryOf(row), offered: summaryOf(offer) };
  recordInjected(context, 'wrongQuote', { ...subjectOf(call), uuid: row.uuid }, details);
  return { ...offer, margin_amount: Math.min(row.margin_amount, offer.source_amount) };
}

function requestedOffer(row: QuoteRow, details: Occurrence['details']): Offer {
  const side = (name: 'source' | 'destination') => {
    const currency = (details[`${name}_currency`] ?? row[`${name}_currency`]) as Currency;
    const amount = details[`${name}_amount`];
    const asIs = scaled(row[`${name}_amount`], row[`${name}_currency`], currency);
    return [currency, amount === undefined ? asIs : toMinor(String(amount), currency)] as const;
  };
  const [source_currency, source_amount] = side('source');
  const [destination_currency, destination_amount] = side('destination');
  return { source_currency, source_amount, destination_currency, destination_amount };
}

/** Returns one of the four variants of a wrong quote. */
function anotherOffer(row: QuoteRow, occurrence: Occurrence): Partial<Offer> {
  const { source_currency, destination_currency, source_amount, destination_amount } = row;
  const third =
    CURRENCIES.find((one) => one !== source_currency && one !== destination_currency) ?? source_currency;
  const variants = [
    { destination_amount: anotherAmount(destination_amount, occurrence) },
    { source_currency: third, source_amount: scaled(source_amount, source_currency, third) },
    {
      destination_currency: third,
      destination_amount: scaled(destination_amount, destination_currency, third),
    },
    { source_amount: 0 },
  ];
  return oneOf(variants, occurrence.how);
}

/** The same figure in another currency's minor units. */
const scaled = (minor: number, from: Currency, to: Currency): number =>
  Math.round(minor * 10 ** (PLACES[to] - PLACES[from]));

const summaryOf = (offer: Offer): string =>
  `${writeAmount(offer.source_amount, offer.source_currency)} ${offer.source_currency} for ` +
  `${writeAmount(offer.destination_amount, offer.destination_currency)} ${offer.destination_currency}`;

// Tells a discrepancy in words: what the provider reports, and how that differs from our row.
import type { ConversionLeg } from '../machines/effects.ts';
import type { Currency } from '../src/domain/currency.ts';
import { currenciesOf } from '../src/lifecycle/legs.ts';
import type { Entity } from '../src/tables/rows.ts';
import { amount, oneLine, span } from './format.ts';

type Discrepancy = Pick<Entity<'Discrepancy'>, 'subjectKind' | 'kind' | 'event' | 'eventData' | 'state'>;
/** The stored figures. Their form depends on the version that stored them. */
type Data = Record<string, unknown>;

/** @param home the currency of the user's account; null if it is unknown: amounts in it are then in minor units. */
export function discrepancyText(
  { subjectKind, kind, event, eventData: data, state }: Discrepancy,
  home: Currency | null,
): string {
  const paysIn = subjectKind === 'pix_payment' ? 'BRL' : home;
  const figures = figuresText(event, data, home, paysIn);
  const [source, destination] = currenciesIn(event, home);
  switch (kind) {
    case 'contradicted_state':
      return `The provider reports ${reportText(event, figures)}, which our state ${state} does not allow.`;
    case 'not_as_ordered':
      return `The provider reports ${reportText(event, figures)}. Not as ordered: ${textsIn(data, 'differs').join(', ')}.`;
    case 'debit_differs':
      return `${capital(subjectOf(event))} took ${moneyIn(data, 'sourceAmountMinor', source)} instead of ${moneyIn(data, 'expectedSourceMinor', source)}.`;
    case 'delivery_differs':
      return `${capital(subjectOf(event))} delivered ${moneyIn(data, 'destinationAmountMinor', destination)} instead of ${moneyIn(data, 'expectedDestinationMinor', destination)}.`;
    case 'twin':
      return `The provider has a second object under this handle: ${figures}.`;
    case 'vanished':
      return `The provider no longer has the object. Its last known status: ${textIn(data, 'status') || 'none'}.`;
    case 'clock_stepped_back':
      return `The provider shows a change under an earlier time than before: ${figures}.`;
    case 'quote_lifetime':
      return `A quote claims to be valid for ${span(numberIn(data, 'lifeMs') ?? 0)}. It counts for five minutes.`;
    case 'not_ordered':
      return `The provider debited the account, and no row here ordered it: ${figures}.`;
  }
}

/** Tells an item of a list that cannot be read. */
export const findingText = ({
  kind,
  list,
  reason,
  position,
}: Pick<Entity<'ListFinding'>, 'kind' | 'list' | 'reason' | 'position'>): string =>
  `${kind === 'unreadable' ? `An object in the list of ${list} cannot be read` : `The pages of the list of ${list} lead in a circle`}: ` +
  `${oneLine(reason)}. It follows ${position === null ? 'the beginning of the list' : position}.`;

const subjects: Record<string, string> = {
  direct: 'the conversion',
  leg1: 'the first conversion',
  leg2: 'the second conversion',
  reverse: 'the conversion that gives back the USDC',
  return: 'the conversion that gives back the BRL',
  partial: 'the conversion of a partial return',
  contestation: 'the contestation',
  'internal-transfer': 'the conversion',
  'off-ramp': 'the payout',
  deposit: 'the deposit',
  kyc: 'the verification',
  account: 'the account',
};

const subjectOf = (event: string): string => subjects[event.split('.', 1)[0] ?? ''] ?? event;
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns the currencies of a conversion's two amounts. Null: unknown. */
function currenciesIn(event: string, home: Currency | null): [Currency | null, Currency | null] {
  const [leg = ''] = event.split('.');
  if (leg === 'internal-transfer') return [home, null];
  if (!['direct', 'leg1', 'leg2', 'reverse', 'return', 'partial'].includes(leg)) return [home, home];
  // The other currencies do not depend on the user's.
  const [source, destination] = currenciesOf(leg as ConversionLeg, 'GBP');
  const ofUser = (currency: Currency): Currency | null => (currency === 'GBP' ? home : currency);
  return [ofUser(source), ofUser(destination)];
}

/** Tells an event: `the payout as failed (BRL 12.50, attempt 2)`. */
function reportText(event: string, figures: string): string {
  const [, what = ''] = event.split('.');
  return `${subjectOf(event)}${what && ` as ${what}`}${figures && ` (${figures})`}`;
}

/** Lists the figures of a report, with the currencies of its amounts. */
function figuresText(event: string, data: Data, home: Currency | null, paysIn: Currency | null): string {
  const [source, destination] = currenciesIn(event, home);
  const currency = (textIn(data, 'currency') || paysIn) as Currency | null;
  const hasConversion = numberIn(data, 'sourceAmountMinor') !== null;
  return [
    textIn(data, 'status'),
    textIn(data, 'level'),
    hasConversion
      ? `${moneyIn(data, 'sourceAmountMinor', source)} -> ${moneyIn(data, 'destinationAmountMinor', destination)}`
      : '',
    numberIn(data, 'amountMinor') === null
      ? textIn(data, 'currency')
      : moneyIn(data, 'amountMinor', currency),
    numberIn(data, 'attempt') === null ? '' : `attempt ${numberIn(data, 'attempt')}`,
    textIn(data, 'reason') && `reason ${textIn(data, 'reason')}`,
    textIn(data, 'failureCode') && `reason ${textIn(data, 'failureCode')}`,
    numberIn(data, 'rate') === null ? '' : `rate ${numberIn(data, 'rate')}`,
    textIn(data, 'endToEndId') && `end-to-end id ${textIn(data, 'endToEndId')}`,
    textIn(data, 'voucherId') && `voucher ${textIn(data, 'voucherId')}`,
  ]
    .filter(Boolean)
    .join(', ');
}

function numberIn(data: Data, name: string): number | null {
  const value = data[name];
  return typeof value === 'number' ? value : null;
}

function textIn(data: Data, name: string): string {
  const value = data[name];
  return typeof value === 'string' ? oneLine(value) : '';
}

function textsIn(data: Data, name: string): string[] {
  const value = data[name];
  return Array.isArray(value) ? value.map((one) => oneLine(String(one))) : [];
}

function moneyIn(data: Data, name: string, currency: Currency | null): string {
  const minor = numberIn(data, name);
  if (minor === null) return 'an unknown amount';
  return currency === null ? `${minor} minor units` : amount(minor, currency);
}

// Groups what exists at the provider without a row here into payments and withdrawals. A handle does not say whose it is, so
// the accounts that the money went through, the amounts and the order of creation decide.
import type { ConversionLeg } from '../../machines/effects.ts';
import { type Currency, minorPlaces } from '../domain/currency.ts';
import { rails } from '../domain/rails.ts';
import type { PayoutDetails, TransferDetails } from '../provider/port.ts';

export type PaymentParts = Partial<Record<ConversionLeg, TransferDetails>> & { payout?: PayoutDetails };

type Identified = { userId: string; id: string | null };
export type OrphanGroup =
  | (Identified & { kind: 'payment'; parts: PaymentParts })
  | (Identified & { kind: 'withdraw'; payout: PayoutDetails })
  | { kind: 'unknown'; userId: string | null; id: null; part: TransferDetails | PayoutDetails; why: string };
type PaymentGroup = Extract<OrphanGroup, { kind: 'payment' }>;

export type Account = { userId: string; currency: Currency };

export type LostObjects = {
  /** Both in the order in which they were created. */
  transfers: TransferDetails[];
  payouts: PayoutDetails[];
  accountOf: (ref: string) => Account | undefined;
  /** The row's id, where the handle derives from a known id. */
  idOf: (handle: string) => string | null;
};

const NO_ACCOUNT = 'the account it was taken from belongs to nobody here';
const FOLLOWS_NOTHING = 'nothing that it could follow from is missing here';
const OTHER_CURRENCIES = 'its amounts are not in the currencies of its accounts';

export function groupOrphans(lost: LostObjects): OrphanGroup[] {
  const groups: OrphanGroup[] = [];
  for (const transfer of lost.transfers) addTransfer(groups, transfer, lost);
  for (const payout of lost.payouts) addPayout(groups, payout, lost);
  return groups;
}

/** The first conversion of a payment begins a group; the others belong to one that was begun. */
function addTransfer(
  groups: OrphanGroup[],
  transfer: TransferDetails,
  { accountOf, idOf }: LostObjects,
): void {
  const { handle, sourceAccountRef, destinationAccountRef, sourceAmountMinor } = transfer.snapshot;
  const from = accountOf(sourceAccountRef);
  const to = accountOf(destinationAccountRef);
  const leg = from && legBetween(from.currency, to?.currency);
  if (!from || !to || !leg) {
    const why = from ? 'an account of it has no row here' : NO_ACCOUNT;
    return addUnknown(groups, transfer, from?.userId ?? null, why);
  }
  const { userId } = from;
  if (!isBetween(transfer, from.currency, to.currency))
    return addUnknown(groups, transfer, userId, OTHER_CURRENCIES);
  const id = idOf(handle);
  const isFirst = leg === 'direct' || leg === 'leg1';
  const surplusOf = ({ leg1 }: PaymentParts): number =>
    (leg1?.snapshot.destinationAmountMinor ?? 0) - sourceAmountMinor;
  const group =
    id === null && !isFirst
      ? bestFitting(groups, userId, (parts) => follows(parts, leg, transfer), surplusOf)
      : paymentOf(groups, userId, id);
  if (group) group.parts[leg] = transfer;
  else addUnknown(groups, transfer, userId, FOLLOWS_NOTHING);
}

function addPayout(groups: OrphanGroup[], payout: PayoutDetails, { accountOf, idOf }: LostObjects): void {
  const { handle, sourceAccountRef, destination } = payout.snapshot;
  const from = accountOf(sourceAccountRef);
  if (!from) return addUnknown(groups, payout, null, NO_ACCOUNT);
  const { userId } = from;
  const why = whyNotFrom(from.currency, payout);
  if (why !== null) return addUnknown(groups, payout, userId, why);
  const id = idOf(handle);
  if (destination.rail !== 'PIX') {
    groups.push({ kind: 'withdraw', userId, id, payout });
    return;
  }
  const group =
    id === null
      ? bestFitting(groups, userId, (parts) => hasDelivered(parts, payout))
      : paymentOf(groups, userId, id);
  if (group) group.parts.payout = payout;
  else addUnknown(groups, payout, userId, FOLLOWS_NOTHING);
}

function addUnknown(
  groups: OrphanGroup[],
  part: TransferDetails | PayoutDetails,
  userId: string | null,
  why: string,
): void {
  groups.push({ kind: 'unknown', userId, id: null, part, why });
}

const paymentsOf = (groups: OrphanGroup[], userId: string): PaymentGroup[] =>
  groups.filter((group) => group.kind === 'payment').filter((group) => group.userId === userId);

/** The user's payment of this id, begun where it is not there yet; without an id, always a new one. */
function paymentOf(groups: OrphanGroup[], userId: string, id: string | null): PaymentGroup {
  const known = id !== null && paymentsOf(groups, userId).find((group) => group.id === id);
  if (known) return known;
  const begun: PaymentGroup = { kind: 'payment', userId, id, parts: {} };
  groups.push(begun);
  return begun;
}

/** Of the user's payments without an id that `fits` accepts, the one with the least surplus; of equal ones, the first. */
const bestFitting = (
  groups: OrphanGroup[],
  userId: string,
  fits: (parts: PaymentParts) => boolean,
  surplusOf: (parts: PaymentParts) => number = () => 0,
): PaymentGroup | undefined =>
  paymentsOf(groups, userId)
    .filter((group) => group.id === null && fits(group.parts))
    .toSorted((one, other) => surplusOf(one.parts) - surplusOf(other.parts))[0];

function legBetween(from: Currency, to: Currency | undefined): ConversionLeg | null {
  if (from === 'USDC') return to === 'BRL' ? 'leg2' : to === 'GBP' || to === 'EUR' ? 'reverse' : null;
  if (from === 'BRL') return null;
  return to === 'BRL' ? 'direct' : to === 'USDC' ? 'leg1' : null;
}

/** A transfer names no currency: its accounts do, and its amounts must have their places. */
const isBetween = ({ snapshot }: TransferDetails, from: Currency, to: Currency): boolean =>
  snapshot.sourcePlaces === minorPlaces[from] && snapshot.destinationPlaces === minorPlaces[to];

/** @returns null where the payout can have been made from an account in this currency. */
function whyNotFrom(currency: Currency, { snapshot }: PayoutDetails): string | null {
  if (snapshot.currency !== currency) return 'it is not in the currency of its account';
  const rail = currency === 'BRL' ? 'PIX' : currency === 'USDC' ? null : rails[currency].rail;
  return snapshot.destination.rail === rail ? null : 'its rail is not that of its currency';
}

/** The second conversion takes no more than the first delivered; the way back restores exactly the debit. */
function follows(parts: PaymentParts, leg: ConversionLeg, { snapshot }: TransferDetails): boolean {
  const { leg1 } = parts;
  if (leg1?.snapshot.status !== 'completed' || parts[leg] !== undefined) return false;
  return leg === 'leg2'
    ? parts.reverse === undefined && snapshot.sourceAmountMinor <= leg1.snapshot.destinationAmountMinor
    : parts.leg2?.snapshot.status !== 'completed' &&
        snapshot.destinationAmountMinor === leg1.snapshot.sourceAmountMinor;
}

function hasDelivered({ direct, leg2, payout }: PaymentParts, { snapshot }: PayoutDetails): boolean {
  const last = (direct ?? leg2)?.snapshot;
  return (
    payout === undefined &&
    last?.status === 'completed' &&
    last.destinationAmountMinor === snapshot.amountMinor
  );
}

// Groups the provider's objects without a row here into payments and withdrawals. A handle does not tell which payment it belongs to,
// so the accounts that the money went through, the amounts and the order of creation decide.
import type { ConversionLeg } from '../../machines/effects.ts';
import { type Currency, minorPlaces } from '../../src/domain/currency.ts';
import { rails } from '../../src/domain/rails.ts';
import type { PayoutDetails, TransferDetails } from '../../src/provider/port.ts';

export type PaymentParts = Partial<Record<ConversionLeg, TransferDetails>> & { payout?: PayoutDetails };

export const legs = ['direct', 'leg1', 'leg2', 'reverse', 'return'] as const;

/** An object of a payment or withdrawal. A payout has no leg. */
export type Part = {
  snapshot: TransferDetails['snapshot'] | PayoutDetails['snapshot'];
  leg: ConversionLeg | null;
};

/** Lists the objects of a payment, the payout last. */
export const partsOf = ({ payout, ...conversions }: PaymentParts): Part[] => [
  ...legs.flatMap((leg) => (conversions[leg] ? [{ snapshot: conversions[leg].snapshot, leg }] : [])),
  ...(payout ? [{ snapshot: payout.snapshot, leg: null }] : []),
];

type Identified = { userId: string; id: string | null };
export type OrphanGroup =
  | (Identified & { kind: 'payment'; parts: PaymentParts })
  | (Identified & { kind: 'withdraw'; payout: PayoutDetails })
  | { kind: 'unknown'; userId: string | null; id: null; part: TransferDetails | PayoutDetails; why: string };
type PaymentGroup = Extract<OrphanGroup, { kind: 'payment' }>;

export type Account = { userId: string; currency: Currency };

export type LostObjects = {
  /** Transfers and payouts are in the order of their creation. */
  transfers: TransferDetails[];
  payouts: PayoutDetails[];
  accountOf: (ref: string) => Account | undefined;
  /** Returns the id of the lost row if the handle derives from a known id, or null. */
  idOf: (handle: string) => string | null;
};

const NO_ACCOUNT = 'no user of this service owns the debited account';
const FOLLOWS_NOTHING = 'no missing payment explains it';
const OTHER_CURRENCIES = 'its amounts do not match the currencies of its accounts';

export function groupOrphans(lost: LostObjects): OrphanGroup[] {
  const groups: OrphanGroup[] = [];
  for (const transfer of lost.transfers) addTransfer(groups, transfer, lost);
  for (const payout of lost.payouts) addPayout(groups, payout, lost);
  return groups;
}

/** Adds a transfer. The first conversion of a payment starts a group; a later one is added to the group that it fits. */
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
    const why = from ? 'one of its accounts has no row here' : NO_ACCOUNT;
    return addUnknown(groups, transfer, from?.userId ?? null, why);
  }
  const { userId } = from;
  if (!isBetween(transfer, from.currency, to.currency))
    return addUnknown(groups, transfer, userId, OTHER_CURRENCIES);
  const id = idOf(handle);
  const isFirst = leg === 'direct' || leg === 'leg1';
  const surplusOf = ({ direct, leg1, leg2 }: PaymentParts): number =>
    ((leg === 'return' ? (direct ?? leg2) : leg1)?.snapshot.destinationAmountMinor ?? 0) - sourceAmountMinor;
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

/** Returns the user's group with this id, or a new group if there is none or the id is unknown. */
function paymentOf(groups: OrphanGroup[], userId: string, id: string | null): PaymentGroup {
  const existing = id !== null && paymentsOf(groups, userId).find((group) => group.id === id);
  if (existing) return existing;
  const begun: PaymentGroup = { kind: 'payment', userId, id, parts: {} };
  groups.push(begun);
  return begun;
}

/** Returns the user's group without an id that `fits` and has the least surplus. The first one wins a tie. */
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
  if (from === 'BRL') return to === 'GBP' || to === 'EUR' ? 'return' : null;
  return to === 'BRL' ? 'direct' : to === 'USDC' ? 'leg1' : null;
}

/** Whether a transfer's amounts have the decimal places of its accounts' currencies. A transfer itself names no currency. */
const isBetween = ({ snapshot }: TransferDetails, from: Currency, to: Currency): boolean =>
  snapshot.sourcePlaces === minorPlaces[from] && snapshot.destinationPlaces === minorPlaces[to];

/** Returns why the payout cannot have been made from an account in this currency, or null if it can. */
function whyNotFrom(currency: Currency, { snapshot }: PayoutDetails): string | null {
  if (snapshot.currency !== currency) return 'its currency is not that of the debited account';
  const rail = currency === 'BRL' ? 'PIX' : currency === 'USDC' ? null : rails[currency].rail;
  return snapshot.destination.rail === rail ? null : 'its rail does not belong to its currency';
}

/**
 * Whether a transfer can be leg 2, the reverse leg or the return of a payment. Leg 2 debits at most what leg 1 delivered. The others
 * restore exactly what the first conversion debited.
 */
function follows(parts: PaymentParts, leg: ConversionLeg, { snapshot }: TransferDetails): boolean {
  if (leg === 'return') {
    const last = (parts.direct ?? parts.leg2)?.snapshot;
    return (
      parts.return === undefined &&
      last?.status === 'completed' &&
      (parts.direct ?? parts.leg1)?.snapshot.sourceAmountMinor === snapshot.destinationAmountMinor
    );
  }
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

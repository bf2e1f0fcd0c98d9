// Groups orphaned objects into payments and withdrawals. A handle does not reveal its owner, so they are grouped by the
// accounts that the money went through, the amounts, and the order of creation.
import type { ConversionLeg } from '../../machines/effects.ts';
import { type Currency, minorPlaces } from '../domain/currency.ts';
import { rails } from '../domain/rails.ts';
import type { PayoutDetails, TransferDetails } from '../provider/port.ts';

export type PaymentParts = Partial<Record<ConversionLeg, TransferDetails>> & { payout?: PayoutDetails };

type Whose = { userId: string; id: string | null };
export type OrphanGroup =
  | (Whose & { kind: 'payment'; parts: PaymentParts })
  | (Whose & { kind: 'withdraw'; payout: PayoutDetails })
  | { kind: 'unknown'; userId: string | null; id: null; part: TransferDetails | PayoutDetails; why: string };
type PaymentStory = Extract<OrphanGroup, { kind: 'payment' }>;

export type Account = { userId: string; currency: Currency };

export type LostObjects = {
  /** Both in the order of their creation. */
  transfers: TransferDetails[];
  payouts: PayoutDetails[];
  accountOf: (ref: string) => Account | undefined;
  /** The row's id, where the handle derives from a known id. */
  idOf: (handle: string) => string | null;
};

const NO_ACCOUNT = 'the account it was taken from belongs to nobody here';
const FOLLOWS_NOTHING = 'nothing that it could follow from is missing here';
const OTHER_CURRENCIES = 'its amounts are not in the currencies of its accounts';

export function groupOrphans({ transfers, payouts, accountOf, idOf }: LostObjects): OrphanGroup[] {
  const groups: OrphanGroup[] = [];
  const payments: PaymentStory[] = [];

  const begin = (userId: string, id: string | null): PaymentStory => {
    const group: PaymentStory = { kind: 'payment', userId, id, parts: {} };
    groups.push(group);
    payments.push(group);
    return group;
  };
  const unknown = (part: TransferDetails | PayoutDetails, userId: string | null, why: string): void => {
    groups.push({ kind: 'unknown', userId, id: null, part, why });
  };
  /** The group of its id where that is known, else the user's best fitting one, or the first of those. */
  const groupFor = (
    part: TransferDetails | PayoutDetails,
    userId: string,
    fits: (parts: PaymentParts) => boolean,
    surplusOf: (parts: PaymentParts) => number = () => 0,
  ): PaymentStory | undefined => {
    const id = idOf(part.snapshot.handle);
    const ofUser = payments.filter((group) => group.userId === userId);
    if (id !== null) return ofUser.find((group) => group.id === id) ?? begin(userId, id);
    return ofUser
      .filter((group) => group.id === null && fits(group.parts))
      .toSorted((one, other) => surplusOf(one.parts) - surplusOf(other.parts))[0];
  };

  for (const transfer of transfers) {
    const { sourceAccountRef, destinationAccountRef } = transfer.snapshot;
    const from = accountOf(sourceAccountRef);
    const to = accountOf(destinationAccountRef);
    const leg = from && legBetween(from.currency, to?.currency);
    if (!from || !to || !leg) {
      unknown(transfer, from?.userId ?? null, from ? 'an account of it has no row here' : NO_ACCOUNT);
      continue;
    }
    if (!isBetween(transfer, from.currency, to.currency)) {
      unknown(transfer, from.userId, OTHER_CURRENCIES);
      continue;
    }
    const isFirst = leg === 'direct' || leg === 'leg1';
    const group =
      groupFor(
        transfer,
        from.userId,
        (parts) => !isFirst && follows(parts, leg, transfer),
        (parts) => (parts.leg1?.snapshot.destinationAmountMinor ?? 0) - transfer.snapshot.sourceAmountMinor,
      ) ?? (isFirst ? begin(from.userId, null) : undefined);
    if (group) group.parts[leg] = transfer;
    else unknown(transfer, from.userId, FOLLOWS_NOTHING);
  }

  for (const payout of payouts) {
    const from = accountOf(payout.snapshot.sourceAccountRef);
    if (!from) {
      unknown(payout, null, NO_ACCOUNT);
      continue;
    }
    const why = whyNotFrom(from.currency, payout);
    if (why !== null) {
      unknown(payout, from.userId, why);
      continue;
    }
    if (payout.snapshot.destination.rail !== 'PIX') {
      const { userId } = from;
      groups.push({ kind: 'withdraw', userId, id: idOf(payout.snapshot.handle), payout });
      continue;
    }
    const group = groupFor(payout, from.userId, (parts) => hasDelivered(parts, payout));
    if (group) group.parts.payout = payout;
    else unknown(payout, from.userId, FOLLOWS_NOTHING);
  }
  return groups;
}

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

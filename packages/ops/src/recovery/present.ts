// Converts a group of orphaned objects to the form shown to operators, with the result that adoption would have.
import type { ConversionLeg } from '../../../../machines/effects.ts';
import type { PayoutDetails, TransferDetails } from '../../../../src/provider/port.ts';
import type { Account, OrphanGroup, PaymentParts } from './group-orphans.ts';
import type { Orphan, OrphanPart } from './orphan.ts';
import { planOf } from './plan.ts';

const legs: readonly ConversionLeg[] = ['direct', 'leg1', 'leg2', 'reverse', 'return'];

export function orphanOf(group: OrphanGroup, accountOf: (ref: string) => Account | undefined): Orphan {
  const { userId, id } = group;
  const parts = partsOf(group);
  const [first] = parts;
  if (!first) throw new Error('a group of orphans has no object');
  const takenFrom = accountOf(first.details.snapshot.sourceAccountRef);
  return {
    kind: group.kind,
    providerRef: first.shown.providerRef,
    handle: first.shown.handle,
    at: first.details.snapshot.updatedAt,
    amountMinor: amountOf(first.details),
    currency:
      'amountMinor' in first.details.snapshot
        ? first.details.snapshot.currency
        : (takenFrom?.currency ?? null),
    parts: parts.map(({ shown }) => shown),
    match: { userId, id, ...outlookOf(group) },
  };
}

function outlookOf(group: OrphanGroup): { becomes: string | null; why: string | null } {
  if (group.kind === 'unknown') return { becomes: null, why: group.why };
  if (group.kind === 'withdraw') return { becomes: endsOf[group.payout.snapshot.status], why: null };
  const plan = planOf(group.parts, group.id !== null);
  return plan.how === 'not' ? { becomes: null, why: plan.why } : { becomes: plan.becomes, why: null };
}

const endsOf = { pending: 'settling', completed: 'completed', failed: 'failed', refunded: 'failed' } as const;

type PresentedPart = { details: TransferDetails | PayoutDetails; shown: OrphanPart };

function partsOf(group: OrphanGroup): PresentedPart[] {
  if (group.kind === 'withdraw') return [present(group.payout, 'withdraw')];
  if (group.kind === 'unknown') return [present(group.part, group.part.snapshot.kind)];
  return partsOfPayment(group.parts);
}

const partsOfPayment = (parts: PaymentParts): PresentedPart[] => [
  ...legs.flatMap((leg) => (parts[leg] ? [present(parts[leg], leg)] : [])),
  ...(parts.payout ? [present(parts.payout, 'payout')] : []),
];

const present = (details: TransferDetails | PayoutDetails, purpose: string): PresentedPart => {
  const { kind, providerRef, handle, status } = details.snapshot;
  return { details, shown: { kind, purpose, providerRef, handle, status } };
};

const amountOf = ({ snapshot }: TransferDetails | PayoutDetails): number =>
  snapshot.kind === 'payout' ? snapshot.amountMinor : snapshot.sourceAmountMinor;

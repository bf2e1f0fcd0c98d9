// A story as a person is shown it, with what would become of it.
import type { ConversionLeg } from '../../machines/effects.ts';
import type { PayoutDetails, TransferDetails } from '../provider/port.ts';
import type { Account, OrphanGroup, PaymentParts } from './group-orphans.ts';
import type { Orphan, OrphanPart } from './orphan.ts';
import { planOf } from './plan.ts';

const legs: readonly ConversionLeg[] = ['direct', 'leg1', 'leg2', 'reverse'];

export function orphanOf(story: OrphanGroup, accountOf: (ref: string) => Account | undefined): Orphan {
  const { userId, id } = story;
  const parts = partsOf(story);
  const [first] = parts;
  if (!first) throw new Error('a story without a part');
  const takenFrom = accountOf(first.details.snapshot.sourceAccountRef);
  return {
    kind: story.kind,
    providerRef: first.shown.providerRef,
    handle: first.shown.handle,
    at: first.details.snapshot.updatedAt,
    amountMinor: amountOf(first.details),
    currency:
      'amountMinor' in first.details.snapshot
        ? first.details.snapshot.currency
        : (takenFrom?.currency ?? null),
    parts: parts.map(({ shown }) => shown),
    match: { userId, id, ...outlookOf(story) },
  };
}

function outlookOf(story: OrphanGroup): { becomes: string | null; why: string | null } {
  if (story.kind === 'unknown') return { becomes: null, why: story.why };
  if (story.kind === 'withdraw') return { becomes: endsOf[story.payout.snapshot.status], why: null };
  const plan = planOf(story.parts, story.id !== null);
  return plan.how === 'not' ? { becomes: null, why: plan.why } : { becomes: plan.becomes, why: null };
}

const endsOf = { pending: 'settling', completed: 'completed', failed: 'failed', refunded: 'failed' } as const;

type Told = { details: TransferDetails | PayoutDetails; shown: OrphanPart };

function partsOf(story: OrphanGroup): Told[] {
  if (story.kind === 'withdraw') return [told(story.payout, 'withdraw')];
  if (story.kind === 'unknown') return [told(story.part, story.part.snapshot.kind)];
  return partsOfPayment(story.parts);
}

const partsOfPayment = (parts: PaymentParts): Told[] => [
  ...legs.flatMap((leg) => (parts[leg] ? [told(parts[leg], leg)] : [])),
  ...(parts.payout ? [told(parts.payout, 'payout')] : []),
];

const told = (details: TransferDetails | PayoutDetails, purpose: string): Told => {
  const { kind, providerRef, handle, status } = details.snapshot;
  return { details, shown: { kind, purpose, providerRef, handle, status } };
};

const amountOf = ({ snapshot }: TransferDetails | PayoutDetails): number =>
  snapshot.kind === 'payout' ? snapshot.amountMinor : snapshot.sourceAmountMinor;

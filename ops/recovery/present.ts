// Converts a group of orphaned objects to the form shown to operators, with the result that adoption would have.
import { type Account, type OrphanGroup, type Part, partsOf } from './group-orphans.ts';
import type { Orphan } from './orphan.ts';
import { planOf } from './plan.ts';

export function orphanOf(group: OrphanGroup, accountOf: (ref: string) => Account | undefined): Orphan {
  const { kind, userId, id } = group;
  const parts = namedPartsOf(group);
  const first = parts[0]?.snapshot;
  if (!first) throw new Error('a group of orphans has no object');
  const { providerRef, handle, updatedAt: at } = first;
  const taken =
    first.kind === 'payout'
      ? { amountMinor: first.amountMinor, currency: first.currency }
      : {
          amountMinor: first.sourceAmountMinor,
          currency: accountOf(first.sourceAccountRef)?.currency ?? null,
        };
  return {
    kind,
    providerRef,
    handle,
    at,
    ...taken,
    parts: parts.map(({ purpose, snapshot: part }) => ({
      kind: part.kind,
      purpose,
      providerRef: part.providerRef,
      handle: part.handle,
      status: part.status,
    })),
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

function namedPartsOf(group: OrphanGroup): { snapshot: Part['snapshot']; purpose: string }[] {
  if (group.kind === 'withdraw') return [{ snapshot: group.payout.snapshot, purpose: 'withdraw' }];
  if (group.kind === 'unknown') return [{ snapshot: group.part.snapshot, purpose: group.part.snapshot.kind }];
  return partsOf(group.parts).map(({ snapshot, leg }) => ({ snapshot, purpose: leg ?? 'payout' }));
}

// Decides which snapshots show that the home account was debited or credited. The cached balance is then out of date.
import type { Entity } from '../platform/entities/rows.ts';
import type { Snapshot } from '../provider/port.ts';

/**
 * Whether a snapshot shows a change of the home balance: a debit that starts, a debit that is undone, or a completed reverse leg or return.
 * A payout in BRL does not move money of the home account.
 * @param resource the row as it was before the snapshot.
 */
export function changesHomeBalance(resource: Entity<'ProviderResource'>, snapshot: Snapshot): boolean {
  if (snapshot.kind !== 'transfer' && snapshot.kind !== 'payout') return false;
  if (resource.leg === 'reverse' || resource.leg === 'return') return snapshot.status === 'completed';
  if (!debitsHome(resource)) return false;
  return resource.providerRef === null || (snapshot.status !== 'pending' && snapshot.status !== 'completed');
}

/**
 * Whether the snapshot is the first one of a resource that debits the home account.
 * @param resource the row as it was before the snapshot.
 */
export const isFirstDebit = (resource: Entity<'ProviderResource'>): boolean =>
  resource.providerRef === null && debitsHome(resource);

/** Whether the resource debits the home account as soon as it exists at the provider. */
const debitsHome = ({ leg, subjectKind: kind }: Entity<'ProviderResource'>): boolean =>
  leg === 'direct' || leg === 'leg1' || kind === 'withdraw';

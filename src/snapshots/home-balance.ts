// Which snapshots show that the home account has been debited or credited: its cached balance is then out of date.
import type { Entity } from '../entities/rows.ts';
import type { Snapshot } from '../provider/port.ts';

/**
 * By the start of what takes from it, by that being undone, and by the way back. A payout in reais moves other money.
 * @param resource as it was before the snapshot.
 */
export function changesHomeBalance(resource: Entity<'ProviderResource'>, snapshot: Snapshot): boolean {
  if (snapshot.kind !== 'transfer' && snapshot.kind !== 'payout') return false;
  if (resource.leg === 'reverse') return snapshot.status === 'completed';
  if (!debitsHome(resource)) return false;
  return resource.providerRef === null || (snapshot.status !== 'pending' && snapshot.status !== 'completed');
}

/** Whether the snapshot is the first sign of what takes its money the moment it exists. @param resource as it was before. */
export const isFirstDebit = (resource: Entity<'ProviderResource'>): boolean =>
  resource.providerRef === null && debitsHome(resource);

/** What takes its money from the home account the moment it exists. */
const debitsHome = ({ leg, subjectKind: kind }: Entity<'ProviderResource'>): boolean =>
  leg === 'direct' || leg === 'leg1' || kind === 'withdraw';

// Which snapshots tell that the home account has been debited or credited: its cached balance is then out of date.
import { sql } from 'kysely';
import type { ProviderResourceRow } from '../entities/rows.ts';
import type { Snapshot } from '../provider/port.ts';

/**
 * By the start of what takes from it, by that being undone, and by the way back. A payout in reais moves other money.
 * @param resource as it was before the snapshot.
 */
export function changesHomeBalance(resource: ProviderResourceRow, snapshot: Snapshot): boolean {
  if (snapshot.kind !== 'transfer' && snapshot.kind !== 'payout') return false;
  if (resource.leg === 'reverse') return snapshot.status === 'completed';
  if (!debitsHome(resource)) return false;
  return resource.provider_ref === null || (snapshot.status !== 'pending' && snapshot.status !== 'completed');
}

/** The balance's version as the statement before has left it, for what takes its money the moment it exists. */
export const debitedAt = (resource: ProviderResourceRow) =>
  resource.provider_ref === null && debitsHome(resource)
    ? {
        debited_balance_version: sql<number>`(select balance_version from users where id = ${resource.user_id}::uuid)`,
      }
    : {};

/** What takes its money from the home account the moment it exists. */
const debitsHome = ({ leg, subject_kind: kind }: ProviderResourceRow): boolean =>
  leg === 'direct' || leg === 'leg1' || kind === 'withdraw';

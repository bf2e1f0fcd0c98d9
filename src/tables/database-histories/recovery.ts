// Whether the database was restored, and may still lack rows.
import { required } from '../../domain/required.ts';
import type { Db } from '../orm.ts';
import { findLatestHistory, type LatestHistory } from './statements.ts';

/** `history` is null until a worker has seen that the server is another one. `isCompared` says whether the lists were compared. */
type Recovery = { history: { id: string; beganAt: Date } | null; isCompared: boolean };

export const readHistory = async (db: Db): Promise<LatestHistory> =>
  required(await findLatestHistory(db, {}), 'the server of the database');

/** Returns the recovery that is underway, or null. A database without a history is new. */
export function recoveryIn(latest: LatestHistory): Recovery | null {
  if (latest.id === null) return null;
  if (latest.server !== latest.here) return { history: null, isCompared: false };
  return latest.endedAt === null ? { history: latest, isCompared: latest.comparedAt !== null } : null;
}

// Reseals values that were sealed before their rows had versions, and binds each value to the version of its row.

import type { Clock } from '../domain/clock.ts';
import { NIL_UUID } from '../domain/ids.ts';
import type { Db } from '../tables/orm.ts';
import { RESEALED_PAGE, unversionedValues } from '../tables/unversioned-values.ts';
import { contextOf, type ReplacedColumn, type RowVersion } from './encryption-contexts.ts';
import { SealBroken, UNVERSIONED } from './envelope.ts';
import type { Sealer } from './sealer.ts';

export type Resealed = {
  resealed: number;
  /** The `table.column` and row id of each value that does not open. These values are not changed. */
  broken: string[];
};

type Services = { db: Db; sealer: Sealer; clock: Clock };

/** Reseals page by page. It can be interrupted and repeated. A value that is replaced meanwhile keeps its replacement. */
export async function resealUnversioned(
  services: Services,
  { onProgress, signal }: { onProgress?: (resealed: number) => void; signal?: AbortSignal } = {},
): Promise<Resealed> {
  const sum: Resealed = { resealed: 0, broken: [] };
  for (const column of Object.keys(unversionedValues) as ReplacedColumn[]) {
    for (let after: string | null = NIL_UUID; after !== null && !signal?.aborted; ) {
      const page = await resealPage(services, column, after);
      sum.resealed += page.resealed;
      sum.broken.push(...page.broken);
      onProgress?.(sum.resealed);
      after = page.next;
    }
  }
  return sum;
}

async function resealPage(
  { db, sealer, clock }: Services,
  column: ReplacedColumn,
  after: string,
): Promise<Resealed & { next: string | null }> {
  const now = clock.now();
  // A new column whose values may be replaced does not compile here until it has its statements.
  const { list, replace, isTime } = unversionedValues[column];
  const rows = await list(db, { after, unversioned: Buffer.of(UNVERSIONED) });
  const broken: string[] = [];
  const fresh: { id: string; userId: string; former: Buffer; sealed: Buffer }[] = [];
  for (const { id, userId, row, version, sealed: former } of rows) {
    if (former === null) continue;
    const contextIn = (bound: RowVersion) => contextOf(column, userId, row, bound);
    try {
      const text = await sealer.open(contextIn(version), former);
      const bound = isTime ? now : version;
      fresh.push({ id, userId, former, sealed: await sealer.seal(contextIn(bound), text) });
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error;
      broken.push(`${column} ${id}`);
    }
  }
  const next = rows.length === RESEALED_PAGE ? (rows.at(-1)?.id ?? null) : null;
  if (fresh.length === 0) return { resealed: 0, broken, next };
  const resealed = await replace(db, {
    ids: fresh.map(({ id }) => id),
    userIds: fresh.map(({ userId }) => userId),
    former: fresh.map(({ former }) => former),
    sealed: fresh.map(({ sealed }) => sealed),
    now,
  });
  return { resealed, broken, next };
}

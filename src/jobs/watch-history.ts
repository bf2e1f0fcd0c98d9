// Notices that the database was restored or promoted: it may lack its latest rows. Two comparisons with the provider's lists find what is
// missing. The first runs at once, and the second when the provider must have listed everything. src/ledger/nothing-lost.ts promises no
// money meanwhile.

import { historyIdOf, NIL_UUID } from '../domain/ids.ts';
import type { Log } from '../domain/log.ts';
import { DatabaseTime } from '../platform/database/database-time.ts';
import { inDbTransaction } from '../platform/database/db-transaction.ts';
import { readHistory } from '../tables/database-histories/recovery.ts';
import {
  insertHistory,
  setHistoryCompared,
  setHistoryEnded,
} from '../tables/database-histories/statements.ts';
import { countOpenOfKind, resolveOrderedSince } from '../tables/discrepancies/statements.ts';
import { listRunsFinished } from '../tables/job-runs/statements.ts';
import { COMPARE_JOB } from '../tables/job-runs/work.ts';
import type { Db } from '../tables/orm.ts';
import { findCursor } from '../tables/provider-cursors/statements.ts';
import { nameOfWindow } from './reconciliation/list-slices.ts';
import { HAS_ROW } from './reconciliation/resolve-discrepancies.ts';
import { OVERLAP_MS, SETTLED_AFTER_MS } from './reconciliation/windows.ts';
import { insertRun } from './run.ts';

/** The provider's clock may be ahead of the database's by this much. */
const AHEAD_MS = 5 * 60_000;

type Services = { db: Db; log: Log };
type History = { id: string; server: string };

/** Begins the history in which the database is, if it is new, and ends it when nothing is missing any more. */
export async function watchHistory({ db, log }: Services): Promise<void> {
  const latest = await readHistory(db);
  const { here, id, server, listedFrom, beganAt, comparedAt, endedAt } = latest;
  if (id === null) return beginFirst(db, here);
  if (server !== here) {
    await inDbTransaction(db, (tx) => beginHistory(tx, { id: historyIdOf(here, id), server: here }));
    return log.error(
      { code: 'database.restored', server: here, former: server },
      'the database was restored or promoted and may lack its latest rows: no money is promised until the lists of the provider were compared',
    );
  }
  if (endedAt !== null) return;
  const names = comparisonsOf({ listedFrom, beganAt });
  const finished = new Set(
    (await listRunsFinished(db, { job: COMPARE_JOB, runs: names })).map(({ run }) => run),
  );
  const now = await DatabaseTime.read(db);
  await resolveOrderedSince(db, { resolvedAt: now.toDate(), resolution: HAS_ROW });
  const missing = (await countOpenOfKind(db, { kind: 'not_ordered' }))?.users ?? 0;
  if (comparedAt === null && finished.size > 0) {
    await setHistoryCompared(db, { id, now });
    log.warn(
      { code: 'database.compared', server, users: missing },
      'the lists of the provider were compared: only people whose payments or withdrawals are missing are promised no money',
    );
  }
  if (missing > 0 || !finished.has(names[1])) return;
  await setHistoryEnded(db, { id, now });
  log.info({ code: 'database.complete', server }, 'nothing is missing from the restored database');
}

/** The first history is that of a new database, or of one that an earlier version served. Nothing was lost with it. */
async function beginFirst(db: Db, server: string): Promise<void> {
  const at = (await DatabaseTime.read(db)).toDate();
  await insertHistory(db, {
    id: historyIdOf(server, NIL_UUID),
    server,
    listedFrom: at,
    beganAt: at,
    comparedAt: at,
    endedAt: at,
  });
}

/** Begins a history and plans its comparisons, in the caller's transaction. Does nothing if another process has begun it. */
export async function beginHistory(tx: Db, { id, server }: History): Promise<void> {
  const [now, transfers, payouts] = await Promise.all([
    DatabaseTime.read(tx),
    findCursor(tx, { list: 'transfers' }),
    findCursor(tx, { list: 'payouts' }),
  ]);
  const plannedTo = Math.min(...[transfers, payouts].map((cursor) => cursor?.plannedTo?.getTime() ?? 0));
  const beganAt = now.toDate();
  const listedFrom = new Date(Math.max(0, plannedTo - OVERLAP_MS));
  const history = { id, server, listedFrom, beganAt, comparedAt: null, endedAt: null };
  if ((await insertHistory(tx, history)) !== 1) return;
  const [soon, settled] = comparisonsOf(history);
  await insertRun(tx, COMPARE_JOB, soon, 0);
  await insertRun(tx, COMPARE_JOB, settled, AHEAD_MS + SETTLED_AFTER_MS);
}

/** Returns the names of the two comparisons of a history. */
function comparisonsOf({ listedFrom, beganAt }: { listedFrom: Date; beganAt: Date }): [string, string] {
  const window = nameOfWindow({ from: listedFrom, to: new Date(beganAt.getTime() + AHEAD_MS) });
  return [`${window} 1`, `${window} 2`];
}

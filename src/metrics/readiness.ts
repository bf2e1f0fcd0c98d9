// GET /ready, beside the metrics: whether this process can do its work now. That it answers at all is what GET /health says;
// a process that is not ready is sent no requests, and is not killed for it.
import { sql } from 'kysely';
import type { App } from '../app.ts';
import type { Db } from '../database/orm.ts';
import { settledWithin } from '../time/settled-within.ts';
import type { Vitals } from '../worker/vitals.ts';

export type Unready = 'stopping' | 'database' | 'heartbeat' | 'engine';
export type Readiness = {
  /** What stands in the way; nothing when it is ready. */
  unready: () => Promise<Unready[]>;
  /** From now on it is not. */
  stop: () => void;
};

/** A probe waits for its answer: it must have it before it gives up by itself. */
const DATABASE_WITHIN_MS = 2_000;
/** The lock is asked for every two seconds. */
const HEARTBEAT_WITHIN_MS = 10_000;
/** The queue is asked every second; while every slot is taken, by calls that may take ten seconds each, it is not. */
const PROGRESS_WITHIN_MS = 60_000;

/** @param vitals of the worker, where this process has one. */
export function createReadiness(app: Pick<App, 'db'>, vitals: Vitals | null): Readiness {
  let isStopping = false;
  const canWrite = createDatabaseProbe(app.db);
  return {
    unready: async () => {
      const { heartbeatMs, progressMs } = vitals?.ages() ?? { heartbeatMs: 0, progressMs: 0 };
      const faults: [Unready, boolean][] = [
        ['stopping', isStopping],
        ['database', !(await canWrite())],
        ['heartbeat', heartbeatMs > HEARTBEAT_WITHIN_MS],
        ['engine', progressMs > PROGRESS_WITHIN_MS],
      ];
      return faults.filter(([, holds]) => holds).map(([name]) => name);
    },
    stop: () => {
      isStopping = true;
    },
  };
}

/** However often it is asked, the database answers one question at a time. A standby is of no use. */
function createDatabaseProbe(db: Db): () => Promise<boolean> {
  let asking: Promise<boolean> | null = null;
  const ask = async (): Promise<boolean> => {
    try {
      const { rows } = await sql<{ standby: boolean }>`select pg_is_in_recovery() as standby`.execute(db);
      return rows[0]?.standby === false;
    } catch {
      return false;
    } finally {
      asking = null;
    }
  };
  return async () => {
    const answer = (asking ??= ask());
    return (await settledWithin(DATABASE_WITHIN_MS, answer)) && answer;
  };
}

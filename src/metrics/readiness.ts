// GET /ready, beside the metrics: whether this process can do its work now. GET /health says that the process is alive; a
// process that is not ready gets no requests and is not restarted.
import type { App } from '../app.ts';
import type { Db } from '../database/orm.ts';
import { findServerRole } from '../sql/server.ts';
import { settledWithin } from '../time/settled-within.ts';

export type Unready = 'stopping' | 'database' | 'heartbeat' | 'engine';
export type Readiness = {
  /** The faults that keep the process from its work; none when it is ready. */
  unready: () => Promise<Unready[]>;
  /** Reports `stopping` from now on. */
  stop: () => void;
};

/** Shorter than the time-outs of usual probes, so that they get this answer. */
const DATABASE_WITHIN_MS = 2_000;
/** It is written every second. */
const HEARTBEAT_WITHIN_MS = 10_000;
/** Due work is claimed every second, but not while calls of up to ten seconds each take all slots. */
const PROGRESS_WITHIN_MS = 60_000;

/** For how long the heartbeat was not written, and no work was claimed, in milliseconds. */
type Ages = () => { heartbeatMs: number; progressMs: number };

/** @param ages of the process's work; null where it carries out none. */
export function createReadiness(app: Pick<App, 'db'>, ages: Ages | null): Readiness {
  let isStopping = false;
  const canWrite = createDatabaseProbe(app.db);
  return {
    unready: async () => {
      const { heartbeatMs, progressMs } = ages?.() ?? { heartbeatMs: 0, progressMs: 0 };
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
      return (await findServerRole(db, {}))?.isStandby === false;
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

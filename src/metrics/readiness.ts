// GET /ready, on the port of the metrics: whether this process can do its work now. GET /health only shows that the process is
// alive. A process that is not ready gets no requests, but is not restarted.

import { settledWithin } from '../platform/concurrency/settled-within.ts';
import type { Db } from '../tables/orm.ts';
import { findServerRole } from '../tables/server.ts';

export type Unready = 'stopping' | 'database' | 'heartbeat' | 'engine';
export type Readiness = {
  /** Returns the faults that keep the process from its work; none if it is ready. */
  unready: () => Promise<Unready[]>;
  /** Makes `unready` report `stopping` from now on. */
  stop: () => void;
};

/** Shorter than the time-outs of usual probes, so that they receive the response. */
const DATABASE_WITHIN_MS = 2_000;
/** The maximum age of the heartbeat, which is written every second. */
const HEARTBEAT_WITHIN_MS = 10_000;
/**
 * The maximum time without a claim. Due work is claimed every second, but not while calls of up to ten
 * seconds each occupy all slots.
 */
const PROGRESS_WITHIN_MS = 60_000;

/** Returns how long ago the heartbeat was written and work was claimed, in milliseconds. */
type Ages = () => { heartbeatMs: number; progressMs: number };

/** Creates the readiness check. @param ages the ages of the process's work; null if it runs none. */
export function createReadiness({ db }: { db: Db }, ages: Ages | null): Readiness {
  let isStopping = false;
  const canWrite = createDatabaseProbe(db);
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

/** Returns whether the database accepts writes, which a standby does not. Concurrent calls share one statement. */
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

// A streaming replica, for reads that may lag. It is read while it is close behind the primary; while it lags, is stopped or
// frozen, the primary is read.
import { type RawBuilder, sql } from 'kysely';
import { settledWithin } from '../time/settled-within.ts';
import type { Db } from './orm.ts';

/** The longest that a replica may be behind, by this process's own clock. */
const MOST_LAG_MS = 5_000;
const PROBE_EVERY_MS = 1_000;
/** Afterwards the primary is read: a replica that is slow is no gain. */
const READ_WITHIN_MS = 1_000;

export type Replica = {
  db: Db;
  /** Whether it shows all that was committed on the primary 5 s ago. */
  isClose: () => boolean;
  /** @returns what is read from it, or null where it does not answer in time: then the primary is to be read. */
  tryRead: <Read extends object>(read: (db: Db) => Promise<Read>) => Promise<Read | null>;
  stop: () => Promise<void>;
};

/** Compares the two servers' positions in the log of the database every second. */
export function followReplica({ primary, db }: { primary: Db; db: Db }): Replica {
  let closeUntil = Number.NEGATIVE_INFINITY;
  /** Positions of the primary, oldest first, that the replica has to reach. */
  let marks: { position: number; at: number }[] = [];

  const probe = async (): Promise<void> => {
    const at = performance.now();
    const position = await positionIn(primary, sql`pg_current_wal_lsn()`);
    marks = [...marks.filter((mark) => mark.at > at - MOST_LAG_MS), { position, at }];
    const reached = await positionIn(db, sql`pg_last_wal_replay_lsn()`);
    for (const mark of marks) if (mark.position <= reached) closeUntil = mark.at + MOST_LAG_MS;
  };
  const giveUp = (): void => {
    closeUntil = Number.NEGATIVE_INFINITY;
  };
  const probed = createRepeat(() => probe().catch(giveUp));

  return {
    db,
    isClose: () => performance.now() < closeUntil,
    tryRead: async (read) => {
      const reading = read(db);
      const isRead = await settledWithin(READ_WITHIN_MS, reading);
      const result = isRead ? await reading.catch(() => null) : null;
      if (result === null) giveUp();
      return result;
    },
    stop: async () => {
      probed.stop();
      await db.destroy();
    },
  };
}

/** In bytes from the beginning of the log; 0 on a server that replays none. */
async function positionIn(db: Db, position: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ bytes: number | null }>`
    select pg_wal_lsn_diff(${position}, '0/0')::float8 as bytes`.execute(db);
  return rows[0]?.bytes ?? 0;
}

/** Immediately, and then a second after each end. @param work never rejects. */
function createRepeat(work: () => Promise<void>): { stop: () => void } {
  let timer: NodeJS.Timeout | null = null;
  let isStopped = false;
  const run = async (): Promise<void> => {
    await work();
    if (!isStopped) timer = setTimeout(() => void run(), PROBE_EVERY_MS).unref();
  };
  void run();
  return {
    stop: () => {
      isStopped = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}

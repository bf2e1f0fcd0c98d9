// Shows other processes that this one is alive, and finds out which of them are dead. The heartbeat is a counter in a row of
// each process, written on a connection of its own. A peer is dead when its counter has stood still for so long by our own
// monotonic clock while our own writes succeeded: after a frozen database or a step of a clock nobody is taken for dead.
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { type Db, dbOn, dbOver, type Orm } from '../database/orm.ts';
import { newId } from '../domain/ids.ts';
import { deleteProcess, listenForWork, registerProcess, writeHeartbeat } from '../sql/processes.ts';
import { settledWithin } from '../time/settled-within.ts';

/** At most: so often that a process is not taken for dead over one beat that comes late. */
const BEAT_EVERY_MS = 1_000;
const BEATS_TO_DEATH = 5;
const CONNECT_AGAIN_MS = 500;
const END_WITHIN_MS = 2_000;
/** After a longer gap between two beats of ours, or half the time to death, nothing is known of the time between them. */
const GAP_MS = 3_000;

export type Peer = { id: string; heartbeat: number };

export type HeartbeatOptions = {
  orm: Orm;
  /** One connection, for the heartbeat alone. */
  pool: Pool;
  /** After how long without a heartbeat a process counts as dead. */
  deadAfterMs: number;
  /** Called for each peer whose heartbeat has stopped, until its row is gone. */
  died: (peer: Peer) => void;
  /** Called when this process was taken for dead by another: from now on it has another id, and no leases. */
  replaced: () => void;
  /** Called when another process has committed work. */
  notified: () => void;
  /** Whether it can be told: not through a pooler, which lends another session for each statement. */
  canListen: boolean;
};

export type Heartbeat = {
  /** The id under which this process holds its leases. */
  owner: () => string;
  /** Since the last beat that was written, in milliseconds; infinite before the first one. */
  ageMs: () => number;
  /** Stops beating and removes this process's row, when its leases have ended. */
  stop: () => Promise<void>;
};

/** Resolves after the first beat. @throws when it cannot be written. */
export async function startHeartbeat(options: HeartbeatOptions): Promise<Heartbeat> {
  const { orm, pool, deadAfterMs, replaced, notified, canListen } = options;
  const beatEveryMs = Math.min(BEAT_EVERY_MS, deadAfterMs / BEATS_TO_DEATH);
  const stopping = new AbortController();
  const peers = createPeers(options);
  let owner = newId();
  let beatAt = Number.NEGATIVE_INFINITY;
  const ageMs = (): number => performance.now() - beatAt;

  const connect = async (): Promise<PoolClient> => {
    const client = await pool.connect();
    client.on('notification', notified);
    try {
      if (canListen) await listenForWork(dbOn(orm, client), {});
    } catch (error) {
      // The pool has this one connection, and never another while it is out.
      client.release(true);
      throw error;
    }
    return client;
  };

  const beat = async (client: PoolClient): Promise<void> => {
    const rows = await writeHeartbeat(dbOn(orm, client), { id: owner });
    if (rows.length === 0) {
      // Leases of an id that is not registered are ended by other processes.
      const next = newId();
      await register(dbOn(orm, client), next);
      owner = next;
      replaced();
      return;
    }
    peers.seen(
      rows.filter(({ id }) => id !== owner),
      ageMs(),
    );
    beatAt = performance.now();
  };

  const keepBeating = async (first: PoolClient): Promise<void> => {
    for (let client: PoolClient | null = first; !stopping.signal.aborted; ) {
      try {
        client ??= await connect();
        await beat(client);
        await pause(beatEveryMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      } catch {
        client?.release(true);
        client = null;
        await pause(CONNECT_AGAIN_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
      if (stopping.signal.aborted) client?.release(true);
    }
  };

  const first = await connect();
  await register(dbOn(orm, first), owner);
  await beat(first);
  const beating = keepBeating(first);

  return {
    owner: () => owner,
    ageMs,
    stop: async () => {
      stopping.abort();
      await beating;
      await deleteProcess(dbOver(orm, pool), { id: owner }).catch(() => undefined);
      const ending = pool.end();
      if (await settledWithin(END_WITHIN_MS, ending)) await ending;
    },
  };
}

const register = (db: Db, id: string): Promise<unknown> =>
  registerProcess(db, { id, name: `${hostname()}:${process.pid}` });

/** What was read of the other processes' heartbeats, and when by our clock. */
function createPeers({ deadAfterMs, died }: Pick<HeartbeatOptions, 'deadAfterMs' | 'died'>) {
  const gapMs = Math.min(GAP_MS, deadAfterMs / 2);
  let known = new Map<string, { heartbeat: number; sinceMs: number }>();
  return {
    /** @param sinceLastMs since our own beat before this one. */
    seen: (peers: Peer[], sinceLastMs: number): void => {
      const now = performance.now();
      const isGap = sinceLastMs > gapMs;
      const before = known;
      known = new Map(
        peers.map(({ id, heartbeat }) => {
          const last = before.get(id);
          const isStill = !isGap && last?.heartbeat === heartbeat;
          return [id, { heartbeat, sinceMs: isStill ? last.sinceMs : now }];
        }),
      );
      for (const peer of peers) if (now - (known.get(peer.id)?.sinceMs ?? now) >= deadAfterMs) died(peer);
    },
  };
}

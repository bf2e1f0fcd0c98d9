// Shows other processes that this one is alive, and finds dead ones. The heartbeat is a counter in the row of each process, written on
// a connection of its own. A peer is dead if its counter has not changed for `deadAfterMs` of our monotonic clock while our own writes
// succeeded. A frozen database or a clock step therefore does not make a process look dead.
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Pool, PoolClient } from 'pg';
import { newId } from '../domain/ids.ts';
import { settledWithin } from '../platform/concurrency/settled-within.ts';
import { type Db, dbOn, dbOver, type Orm } from '../tables/orm.ts';
import {
  deleteProcess,
  listenForWork,
  registerProcess,
  writeHeartbeat,
} from '../tables/processes/statements.ts';

/** Maximum interval between heartbeats. One late heartbeat must not make a process look dead. */
const BEAT_EVERY_MS = 1_000;
const BEATS_TO_DEATH = 5;
const CHANGES_WITHIN_MS = 200;
const CONNECT_AGAIN_MS = 500;
const END_WITHIN_MS = 2_000;
/** If two heartbeats of this process are further apart than this, or than half of `deadAfterMs`, the peers' times start again. */
const GAP_MS = 3_000;

export type Peer = { id: string; heartbeat: number };

export type HeartbeatOptions = {
  orm: Orm;
  /** A pool of one connection that only the heartbeat uses. */
  pool: Pool;
  /** After how long without a heartbeat a process counts as dead. */
  deadAfterMs: number;
  /** Called for each dead peer with every heartbeat, until its row is gone. */
  died: (peer: Peer) => void;
  /** Called after another process declared this one dead. It then has a new id and no leases. */
  replaced: () => void;
  /** Called when another process has committed work. */
  notified: () => void;
  /** What the provider holds up in this process. A change is written soon, so that no process takes it for an overload. */
  heldUp: () => string[];
  /** Whether the connection can LISTEN. A transaction pooler cannot, because each statement may run in another session. */
  canListen: boolean;
};

export type Heartbeat = {
  owner: () => string;
  /** Milliseconds since the last written heartbeat. Infinite before the first one. */
  ageMs: () => number;
  /** Stops the heartbeat and removes the row of this process. Call it after its leases have ended. */
  stop: () => Promise<void>;
};

/** Resolves after the first heartbeat. Throws if it cannot be written. */
export async function startHeartbeat(options: HeartbeatOptions): Promise<Heartbeat> {
  const { orm, pool, deadAfterMs, replaced, notified, heldUp, canListen } = options;
  const beatEveryMs = Math.min(BEAT_EVERY_MS, deadAfterMs / BEATS_TO_DEATH);
  const stopping = new AbortController();
  const see = watchPeers(options);
  let owner = newId();
  let beatAt = Number.NEGATIVE_INFINITY;
  let written: string[] = [];
  const ageMs = (): number => performance.now() - beatAt;

  const connect = async (): Promise<PoolClient> => {
    const client = await pool.connect();
    client.on('notification', notified);
    try {
      if (canListen) await listenForWork(dbOn(orm, client), {});
    } catch (error) {
      // The pool has one connection. It makes another one only after this one is released.
      client.release(true);
      throw error;
    }
    return client;
  };

  const beat = async (client: PoolClient): Promise<void> => {
    written = heldUp();
    const rows = await writeHeartbeat(dbOn(orm, client), { id: owner, heldUp: written });
    if (rows.length === 0) {
      // Other processes end the leases of an id that is not registered.
      const next = newId();
      await register(dbOn(orm, client), next);
      owner = next;
      replaced();
      return;
    }
    see(
      rows.filter(({ id }) => id !== owner),
      ageMs(),
    );
    beatAt = performance.now();
  };

  const nextBeat = async (): Promise<void> => {
    const stepMs = Math.min(CHANGES_WITHIN_MS, beatEveryMs);
    while (!stopping.signal.aborted && ageMs() < beatEveryMs && isDeepStrictEqual(heldUp(), written))
      await pause(stepMs, undefined, { signal: stopping.signal }).catch(() => undefined);
  };

  const keepBeating = async (first: PoolClient): Promise<void> => {
    for (let client: PoolClient | null = first; !stopping.signal.aborted; ) {
      try {
        client ??= await connect();
        await beat(client);
        await nextBeat();
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

/**
 * Remembers the heartbeats of the other processes, and since when each has not changed.
 * @returns a function that compares heartbeats that were just read. Its second argument is the time since the previous heartbeat of this
 *   process, in milliseconds.
 */
function watchPeers({ deadAfterMs, died }: Pick<HeartbeatOptions, 'deadAfterMs' | 'died'>) {
  const gapMs = Math.min(GAP_MS, deadAfterMs / 2);
  let heartbeats = new Map<string, { heartbeat: number; sinceMs: number }>();
  return (peers: Peer[], sinceLastMs: number): void => {
    const now = performance.now();
    const isGap = sinceLastMs > gapMs;
    const before = heartbeats;
    heartbeats = new Map(
      peers.map(({ id, heartbeat }) => {
        const last = before.get(id);
        const isStill = !isGap && last?.heartbeat === heartbeat;
        return [id, { heartbeat, sinceMs: isStill ? last.sinceMs : now }];
      }),
    );
    for (const peer of peers) if (now - (heartbeats.get(peer.id)?.sinceMs ?? now) >= deadAfterMs) died(peer);
  };
}

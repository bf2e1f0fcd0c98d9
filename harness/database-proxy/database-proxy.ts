// A TCP proxy to the database that injects faults. Connections freeze, as behind a firewall or a dead load balancer: they stay open
// and accept bytes, but nothing passes in either direction and no error is reported, while new connections work. Connections are
// cut. All connections stall, as when the database's machine is frozen, and later continue with what was sent meanwhile. Statements
// take longer.
import { connect, createServer, type Socket } from 'node:net';
import { CHANNEL } from '../../src/tables/processes/statements.ts';
import { listenBefore } from './address.ts';
import { createPace } from './pace.ts';

/** Whether the database still receives the message on which its connection freezes. The answer is lost in both cases. */
export type Fate = 'arrives' | 'is lost';

/** The end of a transaction, in messages of the protocol. */
export const COMMIT = 'commit\0';
/** The first words on the connection of a process's heartbeat. */
export const HEARTBEAT = `listen "${CHANNEL}"`;

/** A fault that lasts until `goOn` ends it. */
export type Lasting = { goOn: () => void };

export type DatabaseProxy = {
  url: string;
  /**
   * Freezes every connection, or only those whose client first sent `said`.
   * @returns how many.
   */
  freeze: (said?: string) => number;
  /**
   * Closes the connections whose client first sent `said`.
   * @returns how many.
   */
  cut: (said: string) => number;
  /** Closes the connections whose client first sent `said`, and every later connection on which it is sent. */
  cutOff: (said: string) => Lasting;
  /** Stops all traffic on every connection, old and new, until the fault ends. */
  stall: () => Lasting;
  /**
   * Makes every statement take longer by `ms`. Begin and commit are statements as well.
   * @returns how many statements took longer, and a function that ends it.
   */
  slowDown: (ms: number) => Lasting & { statements: () => number };
  /**
   * Freezes the connection on which the message is sent next. `times` is how often this happens.
   * @returns a check whether it has happened.
   */
  freezeAt: (message: string, fate: Fate, times?: number) => { hasFrozen: () => boolean };
  /** Cuts every connection and leads new ones to another server, as a load balancer does after a failover. */
  leadTo: (databaseUrl: string) => void;
  close: () => Promise<void>;
};

type Pair = { client: Socket; server: Socket; isFrozen: boolean; said: string };

/** The number of characters kept of what a client sent: enough for its first words. */
const KEPT_CHARACTERS = 2_000;

/** The connections, and the faults that all of them have. */
type Traffic = {
  pairs: Set<Pair>;
  /** The words whose connections are closed. */
  cutOff: Set<string>;
  isStalled: boolean;
  delayMs: number;
  slowed: number;
  trap: { message: string; fate: Fate; remaining: number } | null;
};

export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  let target = new URL(databaseUrl);
  const traffic: Traffic = {
    pairs: new Set(),
    cutOff: new Set(),
    isStalled: false,
    delayMs: 0,
    slowed: 0,
    trap: null,
  };
  const { pairs, cutOff } = traffic;
  const openOnes = (said: string): Pair[] =>
    [...pairs].filter((pair) => !pair.isFrozen && !pair.client.destroyed && pair.said.includes(said));
  const listener = createServer({ noDelay: true }, (client) => connectPair(traffic, client, target));
  const url = await listenBefore(databaseUrl, listener);

  return {
    url,
    freeze: (said = '') => {
      const open = openOnes(said);
      for (const pair of open) pair.isFrozen = true;
      return open.length;
    },
    cut: (said) => {
      const open = openOnes(said);
      endAll(open);
      return open.length;
    },
    cutOff: (said) => {
      cutOff.add(said);
      endAll(openOnes(said));
      return { goOn: () => void cutOff.delete(said) };
    },
    stall: () => {
      traffic.isStalled = true;
      for (const { client, server } of pairs) for (const socket of [client, server]) socket.pause();
      return {
        goOn: () => {
          traffic.isStalled = false;
          for (const { client, server } of pairs) for (const socket of [client, server]) socket.resume();
        },
      };
    },
    slowDown: (ms) => {
      traffic.delayMs = ms;
      traffic.slowed = 0;
      return {
        statements: () => traffic.slowed,
        goOn: () => {
          traffic.delayMs = 0;
        },
      };
    },
    freezeAt: (message, fate, times = 1) => {
      const trap = { message, fate, remaining: times };
      traffic.trap = trap;
      return { hasFrozen: () => trap.remaining === 0 };
    },
    leadTo: (otherUrl) => {
      target = new URL(otherUrl);
      endAll(pairs);
    },
    close: async () => {
      const closed = new Promise((resolve) => listener.close(resolve));
      endAll(pairs);
      await closed;
    },
  };
}

/** Connects a client to the server, and passes on what either of them sends. */
function connectPair(traffic: Traffic, client: Socket, { port, hostname: host }: URL): void {
  const server = connect({ port: Number(port || 5432), host, noDelay: true });
  const pair: Pair = { client, server, isFrozen: false, said: '' };
  traffic.pairs.add(pair);
  const toServer = (bytes: Buffer): void => {
    if (!pair.isFrozen) server.write(bytes);
  };
  const send = createPace(toServer, () => {
    if (traffic.delayMs > 0) traffic.slowed += 1;
    return traffic.delayMs;
  });
  client.on('data', (chunk) => passOn(traffic, pair, chunk, send));
  server.on('data', (chunk) => {
    if (!pair.isFrozen) client.write(chunk);
  });
  for (const [socket, other] of [
    [client, server],
    [server, client],
  ] as const) {
    socket.on('error', () => undefined);
    // Neither side of a frozen connection learns that the other side has ended.
    socket.on('close', () => {
      if (!pair.isFrozen) other.destroy();
      if (client.destroyed && server.destroyed) traffic.pairs.delete(pair);
    });
    if (traffic.isStalled) socket.pause();
  }
}

function passOn({ cutOff, trap }: Traffic, pair: Pair, chunk: Buffer, send: (chunk: Buffer) => void): void {
  if (pair.isFrozen) return;
  if (pair.said.length < KEPT_CHARACTERS) pair.said += chunk.toString('latin1');
  if ([...cutOff].some((said) => pair.said.includes(said))) return end(pair);
  const isTrapped = trap !== null && trap.remaining > 0 && chunk.includes(trap.message);
  if (!isTrapped || trap?.fate === 'arrives') send(chunk);
  if (!isTrapped || trap === null) return;
  trap.remaining -= 1;
  pair.isFrozen = true;
}

function endAll(pairs: Iterable<Pair>): void {
  for (const pair of pairs) end(pair);
}

function end({ client, server }: Pair): void {
  client.destroy();
  server.destroy();
}

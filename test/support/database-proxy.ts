// A TCP proxy to the database that can freeze, as a firewall or a dead load balancer does: existing connections stay
// open and accept bytes, nothing passes in either direction and no error is reported, while new connections work. Or all of
// them stall, as with a database whose machine is frozen, and go on later with what was sent meanwhile.

import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { CHANNEL } from '../../src/outbox/notify.ts';

/** Whether the database still receives the message on which its connection freezes; the answer is lost in any case. */
export type Fate = 'arrives' | 'is lost';

/** In messages of the protocol: the end of a transaction. */
export const COMMIT = 'commit\0';
/** The first words on the connection of a process's heartbeat. */
export const HEARTBEAT = `listen ${CHANNEL}`;

export type DatabaseProxy = {
  /** The database's own address, through this proxy. */
  url: string;
  /** Freezes every connection there is, or those on which this was said first. @returns how many. */
  freeze: (said?: string) => number;
  /** Closes connections on which this was said first. @returns how many. */
  cut: (said: string) => number;
  /** Lets nothing pass on any connection, old or new, until it goes on. */
  stall: () => { goOn: () => void };
  /** Freezes the connection on which such a message is sent next, so many times. @returns a check whether it has. */
  freezeAt: (message: string, fate: Fate, times?: number) => { hasFrozen: () => boolean };
  close: () => Promise<void>;
};

type Pair = { client: Socket; server: Socket; isFrozen: boolean; said: string };

/** What is kept of what a client said: enough for its first words. */
const KEPT_CHARACTERS = 2_000;

export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const pairs = new Set<Pair>();
  let isStalled = false;
  let trap: { message: string; fate: Fate; left: number } | null = null;

  const passOn = (pair: Pair, chunk: Buffer): void => {
    if (pair.isFrozen) return;
    if (pair.said.length < KEPT_CHARACTERS) pair.said += chunk.toString('latin1');
    if (trap && trap.left > 0 && chunk.includes(trap.message)) {
      trap.left -= 1;
      pair.isFrozen = true;
      if (trap.fate === 'is lost') return;
    }
    pair.server.write(chunk);
  };

  const openOnes = (said: string): Pair[] =>
    [...pairs].filter((pair) => !pair.isFrozen && !pair.client.destroyed && pair.said.includes(said));

  const listener = createServer((client) => {
    const server = connect(Number(target.port || 5432), target.hostname);
    const pair: Pair = { client, server, isFrozen: false, said: '' };
    pairs.add(pair);
    client.on('data', (chunk) => passOn(pair, chunk));
    server.on('data', (chunk) => {
      if (!pair.isFrozen) client.write(chunk);
    });
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      socket.on('error', () => undefined);
      // Neither side of a frozen connection learns of the other's end.
      socket.on('close', () => {
        if (!pair.isFrozen) other.destroy();
        if (client.destroyed && server.destroyed) pairs.delete(pair);
      });
      if (isStalled) socket.pause();
    }
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));

  return {
    url: atPort(databaseUrl, (listener.address() as AddressInfo).port),
    freeze: (said = '') => {
      const open = openOnes(said);
      for (const pair of open) pair.isFrozen = true;
      return open.length;
    },
    cut: (said) => {
      const open = openOnes(said);
      for (const { client, server } of open) for (const socket of [client, server]) socket.destroy();
      return open.length;
    },
    stall: () => {
      isStalled = true;
      for (const { client, server } of pairs) for (const socket of [client, server]) socket.pause();
      return {
        goOn: () => {
          isStalled = false;
          for (const { client, server } of pairs) for (const socket of [client, server]) socket.resume();
        },
      };
    },
    freezeAt: (message, fate, times = 1) => {
      const set = { message, fate, left: times };
      trap = set;
      return { hasFrozen: () => set.left === 0 };
    },
    close: async () => {
      const closed = new Promise((resolve) => listener.close(resolve));
      for (const { client, server } of pairs) for (const socket of [client, server]) socket.destroy();
      await closed;
    },
  };
}

function atPort(databaseUrl: string, port: number): string {
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return url.href;
}

// A TCP proxy to the database that can freeze, as a firewall or a dead load balancer does: existing connections stay
// open and accept bytes, nothing passes in either direction and no error is reported, while new connections work.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Whether the database still receives the message on which its connection freezes; the answer is lost in any case. */
export type Fate = 'arrives' | 'is lost';

/** In messages of the protocol: the end of a transaction, and the queue's request for jobs. */
export const COMMIT = 'commit\0';
export const GET_JOBS = 'get_job';

export type DatabaseProxy = {
  /** The database's own address, through this proxy. */
  url: string;
  /** Freezes every connection there is. @returns how many. */
  freeze: () => number;
  /** Freezes the connection on which such a message is sent next. @returns a check whether it was. */
  freezeAt: (message: string, fate: Fate) => { hasFrozen: () => boolean };
  close: () => Promise<void>;
};

type Pair = { client: Socket; server: Socket; isFrozen: boolean };

export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const pairs = new Set<Pair>();
  let trap: { message: string; fate: Fate; hasFrozen: boolean } | null = null;

  const passOn = (pair: Pair, chunk: Buffer): void => {
    if (pair.isFrozen) return;
    if (trap && !trap.hasFrozen && chunk.includes(trap.message)) {
      trap.hasFrozen = true;
      pair.isFrozen = true;
      if (trap.fate === 'is lost') return;
    }
    pair.server.write(chunk);
  };

  const listener = createServer((client) => {
    const server = connect(Number(target.port || 5432), target.hostname);
    const pair: Pair = { client, server, isFrozen: false };
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
    }
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));

  return {
    url: atPort(databaseUrl, (listener.address() as AddressInfo).port),
    freeze: () => {
      const open = [...pairs].filter(({ client, isFrozen }) => !isFrozen && !client.destroyed);
      for (const pair of open) pair.isFrozen = true;
      return open.length;
    },
    freezeAt: (message, fate) => {
      const set = { message, fate, hasFrozen: false };
      trap = set;
      return { hasFrozen: () => set.hasFrozen };
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

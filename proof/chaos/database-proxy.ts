// A TCP proxy between one instance and the database, with two faults: every connection there is freezes, while new ones work; or
// the heartbeat's connection is cut and not let through again for a while, while the others live.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** In the protocol's messages: only the heartbeat's connection listens. */
const LISTENS = 'listen ponte_outbox';

export type DatabaseProxy = {
  /** The database's own address, through this proxy. */
  url: string;
  /** They stay open, and deliver nothing in either direction any more. */
  freezeConnections: () => void;
  cutHeartbeat: (forMs: number) => Promise<void>;
  stop: () => Promise<void>;
};

type Pair = { client: Socket; server: Socket; isFrozen: boolean; isHeartbeat: boolean };

export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const pairs = new Set<Pair>();
  let isHeartbeatCut = false;

  const end = ({ client, server }: Pair): void => {
    client.destroy();
    server.destroy();
  };

  const listener = createServer((client) => {
    const server = connect(Number(target.port || 5432), target.hostname);
    const pair: Pair = { client, server, isFrozen: false, isHeartbeat: false };
    pairs.add(pair);
    client.on('data', (chunk) => {
      if (pair.isFrozen) return;
      pair.isHeartbeat ||= chunk.includes(LISTENS);
      if (pair.isHeartbeat && isHeartbeatCut) end(pair);
      else server.write(chunk);
    });
    server.on('data', (chunk) => {
      if (!pair.isFrozen) client.write(chunk);
    });
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      socket.setNoDelay(true);
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
    url: atPort(target, (listener.address() as AddressInfo).port),
    freezeConnections: () => {
      for (const pair of pairs) pair.isFrozen = true;
    },
    cutHeartbeat: async (forMs) => {
      isHeartbeatCut = true;
      for (const pair of pairs) if (pair.isHeartbeat) end(pair);
      await new Promise((resolve) => setTimeout(resolve, forMs));
      isHeartbeatCut = false;
    },
    stop: async () => {
      const closed = new Promise((resolve) => listener.close(resolve));
      for (const pair of pairs) end(pair);
      await closed;
    },
  };
}

function atPort(target: URL, port: number): string {
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return url.href;
}

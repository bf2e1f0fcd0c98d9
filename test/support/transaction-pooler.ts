// A pooler in transaction mode, as strict as PgBouncer 1.18. It refuses start-up options and named statements. Each transaction
// gets a different server connection than the previous one, so that no session state is found again.
import { createServer, type Socket } from 'node:net';
import { Client } from 'pg';
import { listenBefore } from '../../harness/database-proxy/address.ts';
import {
  errorResponse,
  greeting,
  messagesOf,
  parametersIn,
  statementNameIn,
} from '../../harness/database-proxy/wire.ts';
import { connectionOf } from '../../src/platform/database/patches/connection.ts';

export type TransactionPooler = {
  url: string;
  /** The messages that the pooler has refused so far. */
  refused: string[];
  transactions: () => number;
  close: () => Promise<void>;
};

type Backend = { socket: Socket; end: () => void };
type Caller = { socket: Socket; queue: Buffer[]; backend: Backend | null; unanswered: number };

/** @param size the number of server connections. More than one is needed, or session state would be found again. */
export async function startTransactionPooler(databaseUrl: string, size = 8): Promise<TransactionPooler> {
  const refused: string[] = [];
  const idle: Backend[] = [];
  const waiting: Caller[] = [];
  const callers = new Set<Caller>();
  let transactions = 0;

  const open = async (): Promise<void> => {
    const client = new Client({ connectionString: databaseUrl });
    client.on('error', () => undefined);
    await client.connect();
    const { stream } = connectionOf(client);
    // From here on, the connection's messages belong to callers.
    stream.removeAllListeners('data');
    release({ socket: stream, end: () => stream.destroy() });
  };
  // The connection that has waited longest is used next, so it is never the one that was just released if there is another.
  const release = (backend: Backend): void => {
    idle.push(backend);
    const next = waiting.shift();
    if (next) lend(next);
  };
  const lend = (caller: Caller): void => {
    const backend = idle.shift();
    if (!backend) return void waiting.push(caller);
    transactions += 1;
    caller.backend = backend;
    backend.socket.removeAllListeners('data');
    const read = messagesOf((type, message) => answer(caller, backend, type, message));
    backend.socket.on('data', read);
    for (const message of caller.queue.splice(0)) backend.socket.write(message);
  };
  const answer = (caller: Caller, backend: Backend, type: string, message: Buffer): void => {
    caller.socket.write(message);
    if (type !== 'Z') return;
    caller.unanswered -= 1;
    const isIdle = message.at(-1) === 'I'.charCodeAt(0);
    if (!isIdle || caller.unanswered > 0) return;
    caller.backend = null;
    release(backend);
  };
  const ask = (caller: Caller, type: string, message: Buffer): void => {
    const name = type === 'P' ? statementNameIn(message) : '';
    if (name !== '') return refuse(caller.socket, `a prepared statement: ${name}`);
    if (type === 'X') return void caller.socket.end();
    // The server answers a simple query and a sync with "ready".
    if (type === 'Q' || type === 'S') caller.unanswered += 1;
    if (caller.backend) return void caller.backend.socket.write(message);
    caller.queue.push(message);
    if (caller.queue.length === 1 && !waiting.includes(caller)) lend(caller);
  };
  const refuse = (socket: Socket, what: string): void => {
    refused.push(what);
    socket.end(errorResponse(what));
  };
  const leave = (caller: Caller): void => {
    callers.delete(caller);
    const at = waiting.indexOf(caller);
    if (at >= 0) waiting.splice(at, 1);
    if (!caller.backend) return;
    // The connection is in the middle of a transaction, so no other caller may get it.
    caller.backend.end();
    caller.backend = null;
    open().catch(() => undefined);
  };

  const listener = createServer((socket) => {
    const caller: Caller = { socket, queue: [], backend: null, unanswered: 0 };
    callers.add(caller);
    socket.on('error', () => undefined);
    socket.on('close', () => leave(caller));
    socket.once('data', (startup: Buffer) => {
      const { options } = parametersIn(startup);
      if (options !== undefined) return refuse(socket, `the start-up options ${options}`);
      socket.on(
        'data',
        messagesOf((type, message) => ask(caller, type, message)),
      );
      socket.write(greeting());
    });
  });
  await Promise.all(Array.from({ length: size }, open));
  const url = await listenBefore(databaseUrl, listener);
  return {
    url,
    refused,
    transactions: () => transactions,
    close: async () => {
      const closed = new Promise((resolve) => listener.close(resolve));
      for (const { socket } of callers) socket.destroy();
      await closed;
      for (const { end } of idle) end();
    },
  };
}

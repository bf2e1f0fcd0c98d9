// Bounds the connections of this process, and the requests in progress of each. At the bound, the connection that is worth least is closed
// for the newcomer: one whose headers are unfinished, then an unauthenticated body, then an idle one, then one that does not read its
// responses, each time the oldest. A connection whose request runs is never closed. One address may have half of the connections.
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ClientAddresses, networkOf } from './client-address.ts';
import type { ApiRequest } from './request.ts';

/**
 * The maximum number of requests in progress per connection. Browsers, apps and proxies send one request at a time over a connection. A
 * client may send requests without waiting for responses (pipelining): one read of 64 KiB can contain 900 of them.
 */
export const MAX_IN_PROGRESS = 16;

/** Why a connection was closed, the least valuable first. */
export const closingReasons = ['headers', 'body', 'idle', 'unread'] as const;
export type ClosingReason = (typeof closingReasons)[number];

export type Connections = {
  /**
   * Wraps the listener that runs requests. A connection's 17th concurrent request destroys the connection. Requests that were
   * already parsed from a destroyed connection are skipped.
   */
  bound: (handle: RequestListener) => RequestListener;
  /** Returns the responses of a connection that are not completely sent, in the order of their requests. */
  unsent: (socket: Duplex) => ServerResponse[];
  watch: (server: Server) => void;
  count: () => number;
};

type Connection = {
  socket: Socket;
  isProxys: boolean;
  /** The client's network. Null for a trusted proxy's connection between two requests. */
  address: string | null;
  /** When the connection opened, its last response ended, or its first unanswered request began, on `performance.now()`. */
  sinceMs: number;
  /** The bytes that had been read when the last response ended. More bytes belong to the headers of a next request. */
  bytesRead: number;
  responses: Set<ServerResponse>;
};

/** @param max the bound. `closed` and `refused` are called for each connection. */
export function createConnections(
  max: number,
  addresses: ClientAddresses,
  { closed, refused }: { closed: (reason: ClosingReason) => void; refused: () => void },
): Connections {
  const { connections, add, setAddress, hasRoomFor, hasRoom } = createOpenConnections(max, closed);

  const refuse = (socket: Socket): void => {
    socket.destroy();
    refused();
  };

  const accept = (socket: Socket): void => {
    const isProxys = addresses.isTrusted(socket.remoteAddress);
    const address = isProxys ? null : networkOf(socket.remoteAddress ?? '');
    if ((address !== null && !hasRoomFor(address)) || !hasRoom()) return refuse(socket);
    add(newConnection(socket, isProxys), address);
  };

  /** Counts the connection as the client's whose request it carries. @returns whether the client may have another connection. */
  const enter = (connection: Connection, request: IncomingMessage): boolean => {
    const address = addresses.of(request);
    if (!connection.isProxys || address === connection.address) return true;
    const isAllowed = hasRoomFor(address, connection);
    if (isAllowed) setAddress(connection, address);
    else refuse(connection.socket);
    return isAllowed;
  };

  const begin = (connection: Connection, request: IncomingMessage, response: ServerResponse): boolean => {
    if (connection.responses.size >= MAX_IN_PROGRESS) {
      connection.socket.destroy();
      return false;
    }
    if (!enter(connection, request)) return false;
    track(connection, request, response, () => {
      if (connection.isProxys) setAddress(connection, null);
    });
    return true;
  };

  return {
    watch: (server) => void server.on('connection', accept),
    count: () => connections.size,
    bound: (handle) => (request, response) => {
      const connection = connections.get(request.socket);
      if (!connection || request.socket.destroyed || !begin(connection, request, response)) return;
      handle(request, response);
    },
    unsent: (socket) =>
      [...(connections.get(socket)?.responses ?? [])].filter(({ writableFinished }) => !writableFinished),
  };
}

const newConnection = (socket: Socket, isProxys: boolean): Connection => ({
  socket,
  isProxys,
  address: null,
  sinceMs: performance.now(),
  bytesRead: 0,
  responses: new Set(),
});

/** The open connections. If there is no room for another one, the connection that is worth least is closed. */
function createOpenConnections(max: number, closed: (reason: ClosingReason) => void) {
  const connections = new Map<Duplex, Connection>();
  const { ofAddress, setAddress } = createAddressIndex();
  const maxOfAddress = Math.max(1, Math.floor(max / 2));

  const forget = (connection: Connection): void => {
    connections.delete(connection.socket);
    setAddress(connection, null);
  };

  /** Closes the connection that is worth least. @returns whether one could be closed. */
  const makeRoom = (among: Iterable<Connection>, except: Connection | null = null): boolean => {
    const least = leastOf(among, except);
    if (least === null) return false;
    forget(least.connection);
    least.connection.socket.destroy();
    closed(least.reason);
    return true;
  };

  return {
    connections: connections as ReadonlyMap<Duplex, Connection>,
    add: (connection: Connection, address: string | null): void => {
      setAddress(connection, address);
      connections.set(connection.socket, connection);
      connection.socket.once('close', () => forget(connection));
    },
    setAddress,
    hasRoomFor: (address: string, except: Connection | null = null): boolean => {
      const same = ofAddress(address);
      return same.size < maxOfAddress || makeRoom(same, except);
    },
    hasRoom: (): boolean => connections.size < max || makeRoom(connections.values()),
  };
}

/** The connections of each client's network. */
function createAddressIndex() {
  const byAddress = new Map<string, Set<Connection>>();
  const ofAddress = (address: string | null): Set<Connection> => byAddress.get(address ?? '') ?? new Set();
  const setAddress = (connection: Connection, address: string | null): void => {
    if (connection.address !== null) {
      const former = ofAddress(connection.address);
      former.delete(connection);
      if (former.size === 0) byAddress.delete(connection.address);
    }
    connection.address = address;
    if (address !== null) byAddress.set(address, ofAddress(address).add(connection));
  };
  return { ofAddress, setAddress };
}

/** Adds a response to its connection until it closes. @param idle called when the connection has no other. */
function track(
  connection: Connection,
  request: IncomingMessage,
  response: ServerResponse,
  idle: () => void,
): void {
  const { responses, socket } = connection;
  if (responses.size === 0) connection.sinceMs = performance.now();
  responses.add(response);
  response.once('close', () => {
    responses.delete(response);
    if (responses.size > 0) return;
    connection.sinceMs = performance.now();
    connection.bytesRead = socket.bytesRead;
    idle();
  });
  // After an early response, the rest of the body may still arrive. It does not begin a next request.
  request.once('close', () => {
    if (responses.size === 0) connection.bytesRead = socket.bytesRead;
  });
}

/** Returns the connection that is worth least, the oldest among equals, and why it may be closed. Null if all requests run. */
function leastOf(
  among: Iterable<Connection>,
  except: Connection | null,
): { connection: Connection; reason: ClosingReason } | null {
  let least: { connection: Connection; rank: number; reason: ClosingReason } | null = null;
  for (const connection of among) {
    const reason = connection === except ? null : reasonToClose(connection);
    if (reason === null) continue;
    const rank = closingReasons.indexOf(reason);
    const isLess =
      least === null ||
      rank < least.rank ||
      (rank === least.rank && connection.sinceMs < least.connection.sinceMs);
    if (isLess) least = { connection, rank, reason };
  }
  return least;
}

/** Returns why the connection may be closed for another one; null if it may not. */
function reasonToClose({ socket, isProxys, responses, bytesRead }: Connection): ClosingReason | null {
  if (responses.size > 0) {
    const unsent = [...responses].filter(({ writableEnded }) => !writableEnded);
    if (unsent.length === 0) return 'unread';
    return unsent.some(isRunning) ? null : 'body';
  }
  if (socket.bytesRead > bytesRead) return 'headers';
  // A proxy would answer 502 if it sent a request over a connection that is being closed.
  if (isProxys) return null;
  return bytesRead === 0 ? 'headers' : 'idle';
}

/** Returns whether a request is worth keeping: it has arrived, or its caller is known. */
const isRunning = ({ req }: ServerResponse): boolean => {
  const { complete, user, hasPassedGate } = req as Partial<ApiRequest>;
  return complete === true || user !== undefined || hasPassedGate === true;
};

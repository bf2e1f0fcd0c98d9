// The connection under a client of pg 8.23.1, which its types do not show. The patches beside this file reach for nothing else.
import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { Client } from 'pg';

/** `stream` is replaced while connecting with TLS, so it is read again for each use. */
export type Connection = EventEmitter & { stream: Socket };

export const connectionOf = (client: Client): Connection =>
  (client as unknown as { connection: Connection }).connection;

/** `Client.query` in all its forms. */
export type Query = (...asked: unknown[]) => Promise<unknown> | undefined;

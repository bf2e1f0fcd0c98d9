// Gives access to the connection under a client of pg 8.23.1, which pg's types do not declare. The other patches use
// nothing else of pg's internals.
import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { Client } from 'pg';

/** pg's connection. `stream` is replaced while connecting with TLS, so read it again for each use. */
export type Connection = EventEmitter & { stream: Socket };

export const connectionOf = (client: Client): Connection =>
  (client as unknown as { connection: Connection }).connection;

/** pg's `Client.query` in all its forms. */
export type Query = (...parameters: unknown[]) => Promise<unknown> | undefined;

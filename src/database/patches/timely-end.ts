// Patches pg 8.23.1: the end of a connection takes a second at most. pg says goodbye and waits for the server to close, which a
// frozen server never does.
// Gain: a pool with a frozen connection ends, so a process stops in time.
import type { Client } from 'pg';
import { connectionOf, type Query } from './connection.ts';

const END_WITHIN_MS = 1_000;

/** @param end of the client, as pg has it. */
export const endInTime =
  (client: Client, end: Query): Query =>
  (...asked) => {
    const insist = setTimeout(() => connectionOf(client).stream.destroy(), END_WITHIN_MS).unref();
    client.once('end', () => clearTimeout(insist));
    return end(...asked);
  };

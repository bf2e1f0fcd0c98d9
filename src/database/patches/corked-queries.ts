// Patches pg 8.23.1: queries of one tick leave in one packet. pg writes each query to the socket by itself; here the socket is
// corked at the first query and uncorked at the end of the tick.
// Gain: one system call and one wake-up of the server for statements sent together; with prepared-statements.ts a callback
// costs the service 0.88 ms instead of 1.45 ms (docs/performance.md).
import type { Client } from 'pg';
import { connectionOf, type Query } from './connection.ts';

export function corkQueries(client: Client, send: Query): Query {
  const connection = connectionOf(client);
  let isCorked = false;
  return (...asked) => {
    if (!isCorked) {
      isCorked = true;
      const { stream } = connection;
      stream.cork();
      process.nextTick(() => {
        isCorked = false;
        stream.uncork();
      });
    }
    return send(...asked);
  };
}

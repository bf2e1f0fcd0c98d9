// The cost of a batch of requests: processor time of the server's process and of its own database connections, and the time it took.
import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import type { Pool } from 'undici';
import type { Db } from '../../src/tables/orm.ts';
import { processorUs } from '../server-process.ts';
import type { BenchRequest } from './operations.ts';
import type { Contender, Stack } from './stack.ts';

/** The cost of one request, in microseconds. `elapsedUs` is the duration of the batch divided by its requests. */
export type Cost = { serverUs: number; databaseUs: number; elapsedUs: number };

/** @throws if an answer is not a success. */
export async function measure(
  { db, servers }: Stack,
  contender: Contender,
  requests: BenchRequest[],
  atOnce: number,
): Promise<Cost> {
  const { child, client } = serverOf(servers, contender);
  const remaining = requests.values();
  const askOneAfterTheOther = async (): Promise<void> => {
    // All clients take requests from the same list.
    for (const one of remaining) await ask(client, one);
  };
  const before = { server: await processorUs(child), database: await backendUs(db, contender) };
  const begunAt = performance.now();
  await Promise.all(Array.from({ length: atOnce }, askOneAfterTheOther));
  const elapsedUs = (performance.now() - begunAt) * 1_000;
  const after = { server: await processorUs(child), database: await backendUs(db, contender) };
  return {
    serverUs: (after.server - before.server) / requests.length,
    databaseUs: usedSince(before.database, after.database) / requests.length,
    elapsedUs: elapsedUs / requests.length,
  };
}

export function serverOf(servers: Stack['servers'], contender: Contender) {
  const server = servers.get(contender);
  if (!server) throw new Error(`there is no ${contender}`);
  return server;
}

export async function ask(client: Pool, request: BenchRequest): Promise<string> {
  const { statusCode, body } = await client.request(request);
  const text = await body.text();
  if (statusCode >= 300) throw new Error(`${request.method} ${request.path} answered ${statusCode} ${text}`);
  return text;
}

/** The processor time of each process of the server's connections, by the kernel's own count. Linux only. */
async function backendUs(db: Db, contender: Contender): Promise<Map<number, number>> {
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_stat_activity where application_name = ${contender}`.execute(db);
  return new Map(rows.map(({ pid }) => [pid, usedBy(pid)]));
}

function usedBy(pid: number): number {
  const [ns] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
  return Number(ns) / 1_000;
}

const usedSince = (before: Map<number, number>, after: Map<number, number>): number =>
  [...after].reduce((sum, [pid, us]) => sum + us - (before.get(pid) ?? 0), 0);

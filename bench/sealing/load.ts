// Sends requests, a few concurrently, and measures their cost: the latency for the client, and the service's processor time.
import type { ChildProcess } from 'node:child_process';
import type { Pool } from 'undici';
import { processorUs } from '../server-process.ts';

export const operations = ['/me', '/bank-details'] as const;
export type Operation = (typeof operations)[number];

/** The cost of one request: the median latency in milliseconds, and the mean processor time in microseconds. */
export type Cost = { ms: number; processorUs: number };

/**
 * @param tokens one request is sent for each token.
 * @param atOnce how many requests are sent concurrently.
 */
export async function measure(
  service: ChildProcess,
  api: Pool,
  operation: Operation,
  tokens: string[],
  atOnce: number,
): Promise<Cost> {
  const times: number[] = [];
  const left = tokens.values();
  const askOneAfterTheOther = async (): Promise<void> => {
    // All clients take tokens from the same list.
    for (const token of left) {
      const begun = performance.now();
      await get(api, operation, token);
      times.push(performance.now() - begun);
    }
  };
  const before = await processorUs(service);
  await Promise.all(Array.from({ length: atOnce }, askOneAfterTheOther));
  const used = (await processorUs(service)) - before;
  return { ms: median(times), processorUs: used / tokens.length };
}

/** @throws unless the request is answered with 200. */
export async function get(api: Pool, path: Operation, token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const { statusCode, body } = await api.request({ method: 'GET', path, headers });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`GET ${path} answered ${statusCode} ${text}`);
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}

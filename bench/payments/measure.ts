// Measures one load on one contender, and its cost per payment: what each part used, and what the database wrote.
import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from '../../harness/report.ts';
import type { Contender } from './contender.ts';
import { completionTimes, logPosition, writtenBetween } from './database.ts';
import { FIRST_POLL_MS, type Load, run } from './load.ts';
import { type Part, processorSeconds } from './processes.ts';

export type Figures = {
  completed: number;
  completedPerSecond: number;
  errors: string[];
  refused: number;
  medianMs: number;
  p95Ms: number;
  p99Ms: number;
  quoteMs: number;
  createMs: number;
  /** The milliseconds of processor time per payment. */
  processorMs: Record<Part, number>;
  /** Commits per payment. */
  commits: number;
  /** Bytes of the write-ahead log per payment. */
  logBytes: number;
};

/** The pause after the last payment was seen completed. The work of its callbacks may still be running, and belongs to it. */
const REST_MS = 1_000;

export async function measure(contender: Contender, load: Load): Promise<Figures> {
  const { folder, api, payers } = contender;
  const { databaseUrl } = contender.stack;
  const before = { used: processorSeconds(folder), log: await logPosition(databaseUrl) };
  const begun = performance.now();
  const { ids, errors, refused, quoteMs, createMs } = await run(api, payers, load);
  const tookMs = performance.now() - begun;
  await pause(REST_MS);
  const after = { used: processorSeconds(folder), log: await logPosition(databaseUrl) };
  const payments = Math.max(1, ids.length);
  const processorMs = { ...after.used };
  for (const part of Object.keys(processorMs) as Part[])
    processorMs[part] = ((after.used[part] - before.used[part]) * 1_000) / payments;
  const written = await writtenBetween(databaseUrl, before.log, after.log);
  const times = await completionTimes(databaseUrl, ids);
  return {
    completed: times.length,
    completedPerSecond: times.length / (Math.max(tookMs - FIRST_POLL_MS, load.seconds * 1_000) / 1_000),
    errors,
    refused,
    medianMs: quantile(times, 0.5),
    p95Ms: quantile(times, 0.95),
    p99Ms: quantile(times, 0.99),
    quoteMs: quantile(quoteMs, 0.5),
    createMs: quantile(createMs, 0.5),
    processorMs,
    commits: written.commits / payments,
    logBytes: written.bytes / payments,
  };
}

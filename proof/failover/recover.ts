// The operator after a failover that lost payments: the page of the runbook about a restored backup. The service refuses clients who
// would pay twice.
import { setTimeout as pause } from 'node:timers/promises';
import { operate, reconcile } from '../stack/operator.ts';
import type { RunDatabase, Stack } from '../stack/stack.ts';

/** An unfinished payment is adopted when the provider has ended it. */
const MAX_TRIES = 20;
const TRY_EVERY_MS = 1_000;
const COMPARES_WITHIN_MS = 300_000;

export type Recovered = { found: number; notAdopted: string[] };

/**
 * Waits until the service has compared the lists, adopts what only the provider has, and reconciles.
 * @param knownIds ids of payments that clients know.
 * @returns how many resources only the provider had, and those that could not be adopted.
 */
export async function recover(stack: Stack<RunDatabase>, knownIds: string[]): Promise<Recovered> {
  const knownOption = knownIds.length === 0 ? [] : ['--known-ids', knownIds.join(',')];
  await listsAreCompared(stack);
  let orphans = await listOrphans(stack, knownOption);
  const found = orphans.length;
  for (let tries = 0; orphans.length > 0 && tries < MAX_TRIES; tries += 1) {
    await operate(stack, ['recovery', 'adopt', '--all', ...knownOption, '--reason', 'failover']);
    await pause(TRY_EVERY_MS);
    orphans = await listOrphans(stack, knownOption);
  }
  await reconcile(stack);
  return { found, notAdopted: orphans };
}

/** Waits until the service knows for whom something is missing. */
async function listsAreCompared(stack: Stack<RunDatabase>): Promise<void> {
  for (const begun = Date.now(); ; await pause(TRY_EVERY_MS)) {
    const { code, result } = await operate(stack, ['status', '--json']);
    const recovery = code === 0 ? (JSON.parse(result) as Status).recovery : null;
    if (recovery?.isCompared === true) return;
    if (Date.now() - begun > COMPARES_WITHIN_MS)
      throw new Error(`the lists were not compared in five minutes: ${result.slice(0, 500)}`);
  }
}

type Status = { recovery: { isCompared: boolean } | null };

async function listOrphans(stack: Stack<RunDatabase>, knownOption: string[]): Promise<string[]> {
  const { code, output, result } = await operate(stack, ['recovery', 'list', ...knownOption, '--json']);
  if (code !== 0) throw new Error(`recovery list ended with ${code}: ${output.slice(-1_000)}`);
  return (JSON.parse(result) as object[]).map((orphan) => JSON.stringify(orphan));
}

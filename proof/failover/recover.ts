// The operator after a failover that lost payments: the page of the runbook about a restored backup. Clients are kept out meanwhile.
import { setTimeout as pause } from 'node:timers/promises';
import { operate, reconcile } from '../stack/operator.ts';
import type { RunDatabase, Stack } from '../stack/stack.ts';

/** An unfinished payment is adopted when the provider has ended it. */
const MAX_TRIES = 20;
const TRY_EVERY_MS = 1_000;

export type Recovered = { found: number; notAdopted: string[] };

/**
 * Reconciles, adopts what only the provider has, and reconciles again.
 * @param knownIds ids of payments that clients know.
 * @returns how many resources only the provider had, and those that could not be adopted.
 */
export async function recover(stack: Stack<RunDatabase>, knownIds: string[]): Promise<Recovered> {
  const knownOption = knownIds.length === 0 ? [] : ['--known-ids', knownIds.join(',')];
  await reconcile(stack);
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

async function listOrphans(stack: Stack<RunDatabase>, knownOption: string[]): Promise<string[]> {
  const { code, output, result } = await operate(stack, ['recovery', 'list', ...knownOption, '--json']);
  if (code !== 0) throw new Error(`recovery list ended with ${code}: ${output.slice(-1_000)}`);
  return (JSON.parse(result) as object[]).map((orphan) => JSON.stringify(orphan));
}

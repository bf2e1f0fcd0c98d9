// After the faults, all processes are up and no client sends requests. This measures how long it takes until no work is in
// progress.
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { withPool } from '../../harness/database/query.ts';
import { audit, type Finding } from '../audit/audit.ts';
import { readEverything } from './final-reading.ts';
import { decideWhatIsHeld, reconcile } from './operator.ts';
import type { Person } from './people.ts';
import type { RunDatabase, Stack } from './stack.ts';
import { type UnderWay, underWay } from './under-way.ts';

const LOOK_EVERY_MS = 250;
/** How long the system may take to come to rest by itself before the reconciliation is started. */
const BY_ITSELF_MS = 25_000;
/** How long to wait for rest before the operator is called again. */
const DECIDE_EVERY_MS = 10_000;
/** Longer than a refusal may be pending plus the auditor's allowance, so that the duration is reported. */
const GIVE_UP_MS = 8 * 60_000;
/**
 * The time for callbacks that arrived just before the provider stopped sending. The auditor names whatever is unfinished after it.
 */
const LAST_CALLBACKS_MS = 10_000;

/** Times are milliseconds, and exclude the time of the operator's decisions. */
export type Rest = {
  /** The time until no work was in progress before the reconciliation. Null if there was still some. */
  byItselfAfterMs: number | null;
  /** Runs of the reconciliation: one, unless the provider was too slow to answer everything. */
  runs: number;
  reconciledInMs: number;
  /** Decisions reserved for a person that the operator took. */
  decisions: number;
  /** From the beginning of the quiet phase until no refusal was pending. */
  heldForMs: number;
  /** From the beginning of the quiet phase until everything was at rest. Null if the system never came to rest. */
  restedAfterMs: number | null;
};

export function quiesce(stack: Stack<RunDatabase>, tell: (what: string) => void): Promise<Rest> {
  return withPool(stack.database.url, async (pool) => {
    let begun = performance.now();
    const sinceMs = () => Math.round(performance.now() - begun);
    let heldForMs = 0;
    const rests = (untilMs: number): Promise<boolean> =>
      isAtRest(pool, untilMs - sinceMs(), ({ left, isRefusalHeld }) => {
        tell(left);
        if (isRefusalHeld) heldForMs = sinceMs();
      });
    const byItselfAfterMs = (await rests(BY_ITSELF_MS)) ? sinceMs() : null;
    const reconciling = sinceMs();
    tell('reconciliation');
    const runs = await reconcile(stack);
    const reconciledInMs = sinceMs() - reconciling;
    let decisions = 0;
    let rested = false;
    while (!rested && sinceMs() < GIVE_UP_MS) {
      const deciding = performance.now();
      decisions += await decideWhatIsHeld(stack, pool, tell);
      // The time that a person takes to decide says nothing about the service.
      begun += performance.now() - deciding;
      rested = await rests(sinceMs() + DECIDE_EVERY_MS);
    }
    const restedAfterMs = rested ? sinceMs() : null;
    return { byItselfAfterMs, runs, reconciledInMs, decisions, heldForMs, restedAfterMs };
  });
}

/**
 * Lets the apps read everything once more, stops the provider, and compares both sides of the books.
 *
 * A provider without an answer repeats its callback for a day, at unknown times. A callback between two reads of the auditor would
 * be work in progress. So the provider stops sending first, and the service processes what has arrived.
 * @param clocksDifferByMs the largest difference between an instance's clock and the machine's.
 */
export async function auditAtRest(
  stack: Stack<RunDatabase>,
  people: Person[],
  { heldForMs, restedAfterMs }: Rest,
  clocksDifferByMs = 0,
): Promise<Finding[]> {
  await readEverything(people);
  await stack.sandbox.end();
  await withPool(stack.database.url, (pool) => isAtRest(pool, LAST_CALLBACKS_MS, () => undefined));
  return audit(stack.database.url, stack.sandboxData, {
    acknowledgedFile: stack.acknowledged.file,
    ordersFile: stack.orders.file,
    shownFile: stack.shown.file,
    unorderedFile: stack.unordered.file,
    clocksDifferByMs,
    heldForMs,
    restedAfterMs,
  });
}

/** Describes each violation in a sentence. */
export const violationsIn = (findings: Finding[]): string[] =>
  findings.flatMap(({ invariant, violations }) =>
    violations.map(({ id, what }) => `${invariant}: ${id}: ${what}`),
  );

async function isAtRest(pool: Pool, withinMs: number, see: (found: UnderWay) => void): Promise<boolean> {
  const begun = performance.now();
  for (;;) {
    const found = await underWay(pool);
    if (found.left === '') return true;
    see(found);
    if (performance.now() - begun > withinMs) return false;
    await pause(LOOK_EVERY_MS);
  }
}

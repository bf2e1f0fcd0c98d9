// After the faults: all processes are up, no client sends requests. How long until no work is in progress any more?
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'pg';
import { decideWhatIsHeld, reconcile } from './operator.ts';
import type { Stack } from './stack.ts';
import { type UnderWay, underWay } from './under-way.ts';

const LOOK_EVERY_MS = 250;
/** How long the system may come to rest by itself before the reconciliation is started. */
const BY_ITSELF_MS = 25_000;
/** How long it may go on before the operator is called again. */
const DECIDE_EVERY_MS = 10_000;
/** Longer than a refusal may be held plus the auditor's allowance, so that the duration is reported. */
const GIVE_UP_MS = 8 * 60_000;
/** For what arrived just before the provider stopped sending; the auditor names whatever is left then. */
const LAST_CALLBACKS_MS = 10_000;

/** Times are milliseconds, and exclude those of the operator's decisions. */
export type Rest = {
  /** No work was in progress any more before the reconciliation; null when there was some. */
  byItselfAfterMs: number | null;
  /** Runs of reconciliation: one, unless the provider was too slow to answer it all. */
  runs: number;
  reconciledInMs: number;
  /** Decisions reserved for a person, taken by the operator. */
  decisions: number;
  /**
   * From the beginning of quiet until the last refusal became definitive that an earlier request could have
   * contradicted.
   */
  heldForMs: number;
  /** From the beginning of quiet to the end of everything; null when it never came to rest. */
  restedAfterMs: number | null;
};

export async function quiesce(stack: Stack, tell: (what: string) => void): Promise<Rest> {
  let begun = performance.now();
  const sinceMs = () => Math.round(performance.now() - begun);
  const pool = new Pool({ connectionString: stack.database.url, max: 1 });
  let heldForMs = 0;
  const rests = (untilMs: number): Promise<boolean> =>
    isAtRest(pool, untilMs - sinceMs(), ({ left, isRefusalHeld }) => {
      tell(left);
      if (isRefusalHeld) heldForMs = sinceMs();
    });
  try {
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
      // A person's decision time says nothing about the service.
      begun += performance.now() - deciding;
      rested = await rests(sinceMs() + DECIDE_EVERY_MS);
    }
    const restedAfterMs = rested ? sinceMs() : null;
    return { byItselfAfterMs, runs, reconciledInMs, decisions, heldForMs, restedAfterMs };
  } finally {
    await pool.end();
  }
}

/**
 * A provider without an answer sends its callback again for a day, at unknown times. One that arrives between two reads
 * of the auditor would be work in progress: so the provider stops sending first, and what has arrived is processed.
 */
export async function stopProvider(stack: Stack): Promise<void> {
  await stack.sandbox.end();
  const pool = new Pool({ connectionString: stack.database.url, max: 1 });
  try {
    await isAtRest(pool, LAST_CALLBACKS_MS, () => undefined);
  } finally {
    await pool.end();
  }
}

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

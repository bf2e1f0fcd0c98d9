// After the faults: everybody up, nobody asking. How long until nothing is under way any more?
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'pg';
import { decideWhatIsHeld, reconcile } from './operator.ts';
import type { Stack } from './stack.ts';
import { type UnderWay, underWay } from './under-way.ts';

const LOOK_EVERY_MS = 250;
/** So long things may come to rest by themselves before reconciliation looks after the rest. */
const BY_ITSELF_MS = 25_000;
/** So long they may go on before the operator is asked again. */
const DECIDE_EVERY_MS = 10_000;
/** Longer than a refusal may be held and the auditor allows after it, so that it is told how long it took. */
const GIVE_UP_MS = 300_000;
/** For what arrived just before the provider fell silent; whatever is left then, the auditor names. */
const LAST_CALLBACKS_MS = 10_000;

/** Times are milliseconds, and leave out those of the operator's decisions. */
export type Rest = {
  /** Nothing was under way any more before anybody looked after it; null when something was. */
  byItselfAfterMs: number | null;
  /** Runs of reconciliation: one, unless the provider was too slow to answer it all. */
  runs: number;
  reconciledInMs: number;
  /** What only a person may decide, and the operator did. */
  decisions: number;
  /** From the beginning of quiet until the last refusal was believed that an earlier request could have contradicted. */
  heldForMs: number;
  /** From the beginning of quiet to the end of it all; null when it never came to rest. */
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
      // What a person takes to decide says nothing of the service.
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
 * A provider that had no answer sends its callback again for a day, and nobody says when. One that arrives between the
 * auditor's looks would be work under way: so the provider falls silent first, and what has arrived is worked off.
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

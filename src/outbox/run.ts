// Runs the queued work of this process, as many pieces concurrently as it has slots.

import { settledWithin } from '../platform/concurrency/settled-within.ts';
import { outsideTraces } from '../platform/tracing/tracing.ts';
import { keysOf, type WorkKind, workKinds } from '../tables/work.ts';
import { workTables } from './claim.ts';
import type { EngineCore } from './core.ts';
import { LeaseLost } from './leases.ts';
import type { LocalPiece } from './local-work.ts';
import type { Work } from './work.ts';

/** The delay before work whose outcome could not be recorded runs again. Each further failure doubles it. */
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;
/** Work that was committed longer ago than this is read again: its row may have changed. */
const FRESH_MS = 1_000;
/**
 * How long a piece may run. One effect, callback or poll cannot take this long, because the database and the provider have deadlines.
 * A nightly page makes many such calls.
 */
const RUN_WITHIN_MS: Record<WorkKind, number> = {
  effect: 120_000,
  callback: 120_000,
  poll: 120_000,
  page: 60 * 60_000,
};

export function createRunner(core: EngineCore) {
  const running = new Set<Promise<void>>();

  const startQueued = (): void => {
    while (core.mayStart()) {
      const next = core.local.startNext();
      if (next === null) return;
      observeWait(core, next.piece);
      const run = outsideTraces(() => runPiece(core, next.piece)).finally(() => {
        next.releaseSlot();
        running.delete(run);
        startQueued();
        // A nightly run usually has a next page.
        if (next.piece.work.kind === 'page') core.expectDue(['page']);
        core.claimSoon();
      });
      running.add(run);
    }
  };

  return {
    startQueued,
    /** Waits for the running work, for at most this many milliseconds. */
    settle: (withinMs: number): Promise<boolean> => settledWithin(withinMs, Promise.all(running)),
  };
}

/** Says how long the work was due before it starts. Work that runs again has run meanwhile, so it is left out. */
function observeWait(core: EngineCore, { work, sinceMs }: LocalPiece): void {
  if (work.unrecorded !== undefined) return;
  const waitedMs = (work.waitedMs ?? 0) + performance.now() - sinceMs;
  core.waited(work.kind, waitedMs / 1_000);
}

async function runPiece(core: EngineCore, piece: LocalPiece): Promise<void> {
  const { kind, id } = piece.work;
  try {
    await runHandler(core, piece);
    core.local.remove(piece);
  } catch (error) {
    if (error instanceof LeaseLost) {
      core.local.remove(piece);
      core.log.info({ code: 'outbox.lease_lost', work: kind, id }, 'the lease of a row was lost');
      return;
    }
    // A later tick resumes it, if this process still has the lease.
    piece.state = 'unrecorded';
    piece.retryAtMs = performance.now() + retryDelayMs(piece.work);
    core.log.warn(
      { code: 'outbox.unrecorded', error, work: kind, id },
      'the outcome of work could not be recorded: it runs again later',
    );
  }
}

async function runHandler(core: EngineCore, piece: LocalPiece): Promise<void> {
  const { work, owner, sinceMs } = piece;
  if (work.kind === 'effect' && (await core.pausedTypes()).has(work.type)) {
    await workTables.effect.release(core.db, { owner, ...keysOf([work]) });
    return;
  }
  const { committed, ...read } = work;
  const isFresh = committed !== undefined && performance.now() - sinceMs < FRESH_MS;
  const handled = core.handlers[work.kind](isFresh ? { ...read, committed } : read, async (call) => {
    piece.callingSinceMs = performance.now();
    try {
      return await call();
    } finally {
      piece.callingSinceMs = null;
    }
  });
  if (!(await settledWithin(RUN_WITHIN_MS[work.kind], handled)))
    throw new Error('the work did not end in time');
  await handled;
}

/** Empties the queues of this process. Other processes may claim the work. */
export const releaseQueued = (core: EngineCore): Promise<void> =>
  releaseUnstarted(core, core.local.clearQueues(), core.owner());

/** Ends the leases of work that has not started. Other processes may claim it. */
export async function releaseUnstarted({ db }: EngineCore, works: Work[], owner: string): Promise<void> {
  for (const kind of workKinds) {
    const those = works.filter((work) => work.kind === kind);
    // If the database does not answer, the leases end with this process.
    if (those.length > 0)
      await workTables[kind].release(db, { owner, ...keysOf(those) }).catch(() => undefined);
  }
}

const retryDelayMs = ({ unrecorded = 0 }: Work): number =>
  Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(unrecorded, 10));

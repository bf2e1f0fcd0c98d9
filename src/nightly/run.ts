// One run of a job in the database: its position and its sums. A page is worked on from that position, and its end is
// written in one commit, by compare-and-set: of two processes at the same page one counts, and neither harms.
import type { App } from '../app.ts';
import { type Counters, createCounters, sumOf } from '../batch/counters.ts';
import {
  noteFailure,
  type PagePosition,
  type PageResult,
  type Stage,
  type StageContext,
} from '../batch/stage.ts';
import type { Db } from '../database/orm.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Entity } from '../entities/rows.ts';
import { OutcomeUnknown } from '../provider/errors.ts';
import { advanceRun, findRun, insertPlannedRun, insertRunByHand } from '../sql/job-runs.ts';
import { type JobName, stagesOf } from './jobs.ts';

export type Run = Entity<'JobRun'>;
type Position = {
  stage: number;
  page: PagePosition;
  /** Where the job's next run begins. */
  checkpoint?: string;
};

const BEGINNING: Position = { stage: 0, page: { after: null } };
/** Of a new run, as JSON. */
const NOTHING_DONE = { position: JSON.stringify(BEGINNING), counts: '{}' };

/** By hand. A run of that name that exists already is continued. */
export async function beginRun(app: App, job: JobName, run: string): Promise<Run> {
  await insertRun(app.db, job, run, app.clock.now(), null);
  return getRun(app, job, run);
}

/** @param dueInMs when it is carried out by itself, by the database's clock; null for a run that its caller carries out. */
export async function insertRun(
  db: Db,
  job: string,
  run: string,
  now: Date,
  dueInMs: number | null,
): Promise<void> {
  const row = { job, run, ...NOTHING_DONE, now };
  await (dueInMs === null ? insertRunByHand(db, row) : insertPlannedRun(db, { ...row, dueInMs }));
}

async function getRun(app: App, job: string, run: string): Promise<Run> {
  const found = await findRun(app.db, { job, run });
  if (!found) throw new Error(`the run ${run} of ${job} is missing`);
  return found;
}

export const stageOf = (run: Run): string =>
  stagesOf(run.job)[(run.position as Position).stage]?.name ?? 'done';

export type ProcessedPage = { run: Run; counters: Counters; isOurs: boolean };

/**
 * Works on the next page.
 * @param then called in the same commit, if this was the process whose page counts.
 * @throws when the page was interrupted by its signal: it is still to be done.
 */
export async function processPage(
  app: App,
  run: Run,
  signal?: AbortSignal,
  then?: (tx: Db, run: Run) => Promise<void>,
): Promise<ProcessedPage> {
  const counters = createCounters();
  const { stage, page, checkpoint: earlier } = run.position as Position;
  const stages = stagesOf(run.job);
  const context = { app, cause: { kind: 'job', id: `${run.job}:${run.run}` } as const, counters, signal };
  const { next, commit, checkpoint = earlier } = await workOn(context, stages[stage], page);
  signal?.throwIfAborted();

  const position: Position = {
    ...(next === null ? { ...BEGINNING, stage: stage + 1 } : { stage, page: next }),
    ...(checkpoint !== undefined && { checkpoint }),
  };
  const now = app.clock.now();
  const advanced = await inTransaction(app.db, async (tx) => {
    const updated = await advanceRun(tx, {
      job: run.job,
      run: run.run,
      formerPosition: JSON.stringify(run.position),
      position: JSON.stringify(position),
      counts: JSON.stringify(sumOf(run.counts, counters.counts)),
      now,
      finishedAt: position.stage === stages.length ? now : null,
    });
    if (updated === undefined) return null;
    await commit?.(tx);
    await then?.(tx, updated);
    return updated;
  });
  return { run: advanced ?? (await getRun(app, run.job, run.run)), counters, isOurs: advanced !== null };
}

/** A stage whose page the provider does not return is left for the next run; later stages are not. */
async function workOn(
  context: StageContext,
  stage: Stage | undefined,
  position: PagePosition,
): Promise<PageResult> {
  if (!stage) throw new Error('no such stage: the run is finished, or of a newer version');
  try {
    return await stage.page(context, position);
  } catch (error) {
    context.signal?.throwIfAborted();
    if (!(error instanceof OutcomeUnknown)) throw error;
    noteFailure(context, stage.name, position.after ?? 'its beginning', error);
    return { next: null };
  }
}

// One run of a job in the database: its position and its sums. A page begins at that position, and its end is one commit with a
// compare-and-set on the position. If two processes work on the same page, one of them counts.

import { DatabaseTime } from '../platform/database/database-time.ts';
import { inDbTransaction } from '../platform/database/db-transaction.ts';
import { OutcomeUnknown } from '../provider/errors.ts';
import { advanceRun, findRun, insertNewRun } from '../tables/job-runs/statements.ts';
import type { Db } from '../tables/orm.ts';
import type { Entity } from '../tables/rows.ts';
import { type Counters, createCounters, sumOf } from './counters.ts';
import { type JobName, stagesOf } from './jobs.ts';
import {
  type JobServices,
  noteFailure,
  type PagePosition,
  type PageResult,
  type Stage,
  type StageContext,
} from './stage.ts';

export type Run = Entity<'JobRun'>;
type Position = {
  /** The name of the stage. Null if the run is finished. */
  stage: string | null;
  page: PagePosition;
  /** The start of the job's next run, if a stage has set it. */
  checkpoint?: string;
};

const BEGINNING: PagePosition = { after: null };
/** The position of a new run, as JSON. The number 0 stands for the first stage of the job. */
const FIRST_POSITION = JSON.stringify({ stage: 0, page: BEGINNING });

/** Begins a run by hand. An existing run with this name is continued. */
export async function beginRun({ db }: { db: Db }, job: JobName, run: string): Promise<Run> {
  await insertRun(db, job, run, null);
  return getRun(db, job, run);
}

/**
 * Inserts a run, unless it exists.
 * @param dueInMs the delay until the engine runs it. Null: the caller runs it now.
 */
export async function insertRun(db: Db, job: string, run: string, dueInMs: number | null): Promise<void> {
  await insertNewRun(db, { job, run, position: FIRST_POSITION, dueInMs });
}

async function getRun(db: Db, job: string, run: string): Promise<Run> {
  const found = await findRun(db, { job, run });
  if (!found) throw new Error(`the run ${run} of ${job} is missing`);
  return found;
}

export const stageOf = (run: Run): string => positionOf(run).stage ?? 'done';

function positionOf({ job, position, finishedAt }: Run): Position {
  if (finishedAt !== null) return { ...(position as Position), stage: null };
  if (position.stage === 0) return { ...(position as Position), stage: stagesOf(job)[0]?.name ?? null };
  return position as Position;
}

export type ProcessedPage = { run: Run; counters: Counters; isOurs: boolean };

/** The beginning of the name of a night's run. Runs by hand have other names. */
const NIGHT = /^\d{4}-\d{2}-\d{2}/;

/**
 * Works on the next page of a run. Throws if the signal interrupts it: the page is then repeated later.
 * @param then is part of the commit that ends the page. It is called only if this process's page counts.
 */
export async function processPage(
  services: JobServices,
  run: Run,
  signal?: AbortSignal,
  then?: (tx: Db, run: Run) => Promise<void>,
): Promise<ProcessedPage> {
  const counters = createCounters();
  const { stage: name, page, checkpoint: earlier } = positionOf(run);
  const stages = stagesOf(run.job);
  const nth = stages.findIndex((stage) => stage.name === name);
  const context = {
    ...services,
    cause: { kind: 'job', id: `${run.job}:${run.run}` } as const,
    counters,
    signal,
    run: run.run,
    now: await services.databaseClock.now(services.db),
    isNight: NIGHT.test(run.run),
  };
  const { next, commit, checkpoint = earlier } = await workOn(context, stages[nth], page);
  signal?.throwIfAborted();

  const position: Position = {
    ...(next === null
      ? { stage: stages[nth + 1]?.name ?? null, page: BEGINNING }
      : { stage: name, page: next }),
    ...(checkpoint !== undefined && { checkpoint }),
  };
  const advanced = await inDbTransaction(services.db, async (tx) => {
    const updated = await advanceRun(tx, {
      job: run.job,
      run: run.run,
      formerPosition: JSON.stringify(run.position),
      position: JSON.stringify(position),
      counts: JSON.stringify(sumOf(run.counts, counters.counts)),
      now: await DatabaseTime.read(tx),
      isFinished: position.stage === null,
    });
    if (updated === undefined) return null;
    await commit?.(tx);
    await then?.(tx, updated);
    return updated;
  });
  return {
    run: advanced ?? (await getRun(services.db, run.job, run.run)),
    counters,
    isOurs: advanced !== null,
  };
}

/**
 * Works on a page. If the provider does not answer, the rest of the stage is left to the next run, and the next stage begins.
 * @throws the error of a stage that is repeated until it succeeds.
 */
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
    if (!(error instanceof OutcomeUnknown) || stage.isRepeated) throw error;
    noteFailure(context, stage.name, position.after ?? 'its beginning', error);
    return { next: null };
  }
}

// One run of a job in the database: where it stands, what it has come to. A page is taken from there, worked on, and its
// end written in one commit, by compare-and-set: of two processes at the same page one counts, and neither harms.
import { type Selectable, sql } from 'kysely';
import type { App } from '../app.ts';
import { createTally, type Tally, together } from '../batch/counters.ts';
import { noteFailure, type Page, type Place, type Stage, type Turn } from '../batch/stage.ts';
import type { Db } from '../database/orm.ts';
import type { Tables } from '../entities/index.ts';
import { ProviderUnknown } from '../provider/errors.ts';
import { type JobName, stagesOf } from './jobs.ts';

export type Run = Selectable<Tables['job_runs']>;
type Position = {
  stage: number;
  place: Place;
  /** What the job's next run begins with. */
  left?: string;
};

const BEGINNING: Position = { stage: 0, place: { after: null } };

/** Under a name that is there already it goes on. */
export async function beginRun(app: App, job: JobName, run: string): Promise<Run> {
  const now = app.clock.now();
  await app.db
    .insertInto('job_runs')
    .values({
      job,
      run,
      position: json(BEGINNING),
      counts: json({}),
      started_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.columns(['job', 'run']).doNothing())
    .execute();
  return findRun(app, job, run);
}

const findRun = (app: App, job: string, run: string): Promise<Run> =>
  app.db
    .selectFrom('job_runs')
    .selectAll()
    .where('job', '=', job)
    .where('run', '=', run)
    .executeTakeFirstOrThrow();

export const stageOf = (run: Run): string =>
  stagesOf(run.job)[(run.position as Position).stage]?.name ?? 'done';

export type Taken = { run: Run; tally: Tally; isOurs: boolean };

/**
 * Works on the next page.
 * @param then written in the same commit, where this was the process that got there first.
 * @throws when the page was broken off by its signal: it is still to be done.
 */
export async function takePage(
  app: App,
  run: Run,
  signal?: AbortSignal,
  then?: (tx: Db, run: Run) => Promise<void>,
): Promise<Taken> {
  const tally = createTally();
  const { stage, place, left: leftSoFar } = run.position as Position;
  const stages = stagesOf(run.job);
  const turn = { app, cause: { kind: 'job', id: `${run.job}:${run.run}` } as const, tally, signal };
  const { next, commit, left = leftSoFar } = await workOn(turn, stages[stage], place);
  signal?.throwIfAborted();

  const position: Position = {
    ...(next === null ? { ...BEGINNING, stage: stage + 1 } : { stage, place: next }),
    ...(left !== undefined && { left }),
  };
  const now = app.clock.now();
  const advanced = await app.db.transaction().execute(async (tx) => {
    const updated = await tx
      .updateTable('job_runs')
      .set({
        position: json(position),
        counts: json(together(run.counts, tally.counts)),
        updated_at: now,
        finished_at: position.stage === stages.length ? now : null,
      })
      .where('job', '=', run.job)
      .where('run', '=', run.run)
      .where('position', '=', json(run.position))
      .returningAll()
      .executeTakeFirst();
    if (updated === undefined) return null;
    await commit?.(tx);
    await then?.(tx, updated);
    return updated;
  });
  return { run: advanced ?? (await findRun(app, run.job, run.run)), tally, isOurs: advanced !== null };
}

/** A stage whose page the provider does not give is left for the next run; the stages behind it are not. */
async function workOn(turn: Turn, stage: Stage | undefined, place: Place): Promise<Page> {
  if (!stage) throw new Error('no such stage: the run is finished, or of a newer version');
  try {
    return await stage.page(turn, place);
  } catch (error) {
    turn.signal?.throwIfAborted();
    if (!(error instanceof ProviderUnknown)) throw error;
    noteFailure(turn, stage.name, place.after ?? 'its beginning', error);
    return { next: null };
  }
}

const json = <Value>(value: Value) => sql<Value & Record<string, never>>`${JSON.stringify(value)}::jsonb`;

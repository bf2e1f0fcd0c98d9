// One run of a reconciliation in the database: where it stands, what it has come to. A page is taken from there, worked on,
// and its end written in one commit, by compare-and-set: of two processes at the same page one counts, and neither harms.
import { type Selectable, sql } from 'kysely';
import type { App } from '../app.ts';
import type { Db } from '../database/orm.ts';
import type { Tables } from '../entities/index.ts';
import { ProviderUnknown } from '../provider/errors.ts';
import { noteFailure, type Page, type Place, type Turn } from './stage.ts';
import { stages } from './stages.ts';
import { createTally, type Tally, together } from './tally.ts';

const JOB = 'reconcile';

export type Run = Selectable<Tables['job_runs']>;
type Position = { stage: number; place: Place };

const BEGINNING: Position = { stage: 0, place: { after: null } };

/** Under a name that is there already it goes on. */
export async function beginRun(app: App, run: string): Promise<Run> {
  const now = app.clock.now();
  await app.db
    .insertInto('job_runs')
    .values({
      job: JOB,
      run,
      position: json(BEGINNING),
      counts: json({}),
      started_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.columns(['job', 'run']).doNothing())
    .execute();
  return findRun(app, run);
}

export const findRun = (app: App, run: string): Promise<Run> =>
  app.db
    .selectFrom('job_runs')
    .selectAll()
    .where('job', '=', JOB)
    .where('run', '=', run)
    .executeTakeFirstOrThrow();

export const stageOf = (run: Run): string => stages[(run.position as Position).stage]?.name ?? 'done';

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
  const { stage, place } = run.position as Position;
  const turn = { app, cause: { kind: 'job', id: `${JOB}:${run.run}` } as const, tally, signal };
  const { next, commit } = await workOn(turn, stage, place);
  signal?.throwIfAborted();

  const position = next === null ? { stage: stage + 1, place: { after: null } } : { stage, place: next };
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
      .where('job', '=', JOB)
      .where('run', '=', run.run)
      .where('position', '=', json(run.position))
      .returningAll()
      .executeTakeFirst();
    if (updated === undefined) return null;
    await commit?.(tx);
    await then?.(tx, updated);
    return updated;
  });
  return { run: advanced ?? (await findRun(app, run.run)), tally, isOurs: advanced !== null };
}

/** A stage whose page the provider does not give is left for the next run; the stages behind it are not. */
async function workOn(turn: Turn, index: number, place: Place): Promise<Page> {
  const stage = stages[index];
  if (!stage) throw new Error(`no stage ${index}: the run is finished, or of a newer version`);
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

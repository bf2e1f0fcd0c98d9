// The worker process: takes jobs from the queue, outlives a database that goes away, and lets go of its jobs when it stops.
import { EventEmitter } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Logger, type LogLevel, run, type Task, type TaskList, type WorkerEvents } from 'graphile-worker';
import type { Pool } from 'pg';
import type { App } from '../app.ts';
import { runEffect } from '../effects/run.ts';
import { nightlySchedule, nightlyTasks } from '../nightly/schedule.ts';
import { runInBackground } from '../provider/call-priority.ts';
import { dispatchWebhook } from '../webhooks/dispatch.ts';
import { watchForDeafness } from './deafness.ts';
import { every } from './every.ts';
import { createHeldBack } from './held-back.ts';
import { watchListener } from './listener.ts';
import { createUndertaker, type Ended, holdLiveness } from './liveness.ts';
import { mendLocalQueues } from './local-queue.ts';
import { watchForLostAnswers } from './lost-answers.ts';
import { provisionPivots } from './provision-pivots.ts';
import { reviveDeadJobs } from './revive.ts';
import { checkResource, queueDueChecks } from './sweep.ts';
import { type Vitals, watchProgress } from './vitals.ts';

const SWEEP_EVERY_MS = 1_000;
const FREE_EVERY_MS = 2_000;
const REVIVE_EVERY_MS = 60_000;
const RESTART_AFTER_MS = 1_000;
const GRACE_MS = 8_500;
const GRACE_AFTER_FAILURE_MS = 2_000;

type Tasks = Record<string, Task>;

const tasksOf = (app: App, isHeldBack = createHeldBack(app)): Tasks => ({
  runEffect: async (payload, { job }) => {
    const { effectId } = payload as { effectId: string };
    if (!(await isHeldBack(effectId, job))) await runEffect(app, effectId, job.attempts > 1);
  },
  dispatchWebhook: (payload) => dispatchWebhook(app, (payload as { eventId: string }).eventId),
  checkResource: (payload) => checkResource(app, (payload as { handle: string }).handle),
  // Some statements of theirs read whole tables, and may take longer than what people wait for.
  ...nightlyTasks({ ...app, db: app.batchDb }),
});

/** Nobody stands waiting for what a job asks of the provider. */
const askingAsWork = (tasks: Tasks): TaskList =>
  Object.fromEntries(
    Object.entries(tasks).map(([name, task]): [string, Task] => [
      name,
      (payload, helpers) => runInBackground(() => task(payload, helpers)),
    ]),
  );

/** Starts working; `stop` finishes the jobs in hand and resolves when none is left. */
export async function startWorker(
  app: App,
  pool: Pool,
  vitals: Vitals,
): Promise<{ stop: () => Promise<void> }> {
  const stopping = new AbortController();
  const start = (ended: Ended) => startRunner({ app, pool, vitals }, stopping.signal, ended);
  const working = keepWorking(app, start, await start(new Map()), stopping.signal);
  provisionPivots({ ...app, db: app.batchDb }).catch((error: unknown) =>
    app.log.error(
      { code: 'usdc_accounts.unprovisioned', error },
      'missing USDC accounts could not be ordered',
    ),
  );
  return {
    stop: async () => {
      stopping.abort();
      await working;
    },
  };
}

/** A runner ends with whether it was given up on: then jobs of its may still be in hand. */
type Running = { workerId: string; ended: Promise<{ isGivenUp: boolean }> };

// A runner ends by itself only when the database failed it at a bad moment; work goes on with a new one.
async function keepWorking(
  app: App,
  start: (ended: Ended) => Promise<Running>,
  first: Running,
  stopping: AbortSignal,
): Promise<void> {
  const ended: Ended = new Map();
  let running: Running | null = first;
  for (;;) {
    if (running !== null) {
      const { isGivenUp } = await running.ended;
      ended.set(running.workerId, isGivenUp ? performance.now() : Number.NEGATIVE_INFINITY);
    }
    if (stopping.aborted) return;
    await pause(RESTART_AFTER_MS, undefined, { signal: stopping }).catch(() => undefined);
    if (stopping.aborted) return;
    running = await start(ended).catch((error: unknown) => {
      app.log.error({ code: 'worker.not_restarted', error }, 'the runner could not be started again yet');
      return null;
    });
  }
}

async function startRunner(
  { app, pool, vitals }: { app: App; pool: Pool; vitals: Vitals },
  stopping: AbortSignal,
  ended: Ended,
): Promise<Running> {
  const events: WorkerEvents = new EventEmitter();
  const created = new Promise<string>((resolve) => {
    events.once('pool:create', ({ workerPool }) => resolve(workerPool.id));
  });
  mendLocalQueues(events);
  watchListener(events);
  watchProgress(events, vitals);
  const lost = new AbortController();
  watchForLostAnswers(events, () => lost.abort());
  const runner = await run({
    pgPool: pool,
    taskList: askingAsWork(tasksOf(app)),
    concurrency: app.config.workerConcurrency,
    parsedCronItems: nightlySchedule,
    noHandleSignals: true,
    pollInterval: 1_000,
    events,
    logger: new Logger(
      () => (level, message) => app.log[severityOf(level)]({ code: 'queue.message' }, message),
    ),
    // Without these two, stopping returns before the last completions are written.
    preset: {
      worker: {
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
        localQueue: { size: 2 * app.config.workerConcurrency },
      },
    },
  });
  const workerId = await created;
  const liveness = holdLiveness(pool, workerId, vitals.beat);
  const recurring = [
    every(SWEEP_EVERY_MS, () => queueDueChecks(app), app),
    every(FREE_EVERY_MS, createUndertaker(pool, workerId, ended), app),
    every(REVIVE_EVERY_MS, () => reviveDeadJobs(pool), app),
  ];

  // After some failures of the database the queue's own shutdown waits for itself for ever: it is given a while, and then
  // left behind. The jobs it held are freed with its lock.
  const givenUp = Promise.withResolvers<void>();
  events.once('pool:gracefulShutdown', () => {
    setTimeout(givenUp.resolve, stopping.aborted ? GRACE_MS : GRACE_AFTER_FAILURE_MS).unref();
  });

  let stopped: Promise<void> | null = null;
  const stop = (): void => {
    stopped ??= runner.stop().catch(() => undefined);
  };
  if (stopping.aborted) stop();
  else stopping.addEventListener('abort', stop, { once: true });
  const deafness = watchForDeafness(events, () => {
    app.log.error({ code: 'worker.stalled' }, 'the runner takes no jobs: another runner takes its place');
    stop();
  });
  const giveWay = (): void => {
    app.log.error(
      { code: 'worker.answer_lost' },
      'an answer of the queue was lost: another runner takes the place of this one',
    );
    stop();
  };
  if (lost.signal.aborted) giveWay();
  else lost.signal.addEventListener('abort', giveWay, { once: true });

  const end = async (): Promise<{ isGivenUp: boolean }> => {
    const finished = runner.promise
      .catch((error: unknown) =>
        app.log.error({ code: 'worker.runner_failed', error }, 'the runner ended with an error'),
      )
      .then(() => stopped)
      .then(() => false);
    const isGivenUp = await Promise.race([finished, givenUp.promise.then(() => true)]);
    stopping.removeEventListener('abort', stop);
    deafness.end();
    await Promise.all(recurring.map((work) => work.stop()));
    await liveness.release();
    return { isGivenUp };
  };
  return { workerId, ended: end() };
}

// The queue's own chatter about each job is of use to those who debug it.
const severityOf = (level: LogLevel): 'error' | 'warn' | 'debug' => {
  if (level === 'error') return 'error';
  return level === 'warning' ? 'warn' : 'debug';
};

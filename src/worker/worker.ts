// The worker process: takes jobs from the queue, outlives a database that goes away, and lets go of its jobs when it stops.
import { EventEmitter } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Logger, type LogLevel, run, type Task, type TaskList, type WorkerEvents } from 'graphile-worker';
import type { Pool } from 'pg';
import type { App } from '../app.ts';
import { runEffect } from '../effects/run.ts';
import { nightlySchedule, nightlyTasks } from '../jobs/nightly.ts';
import { asWork } from '../provider/asker.ts';
import { dispatchWebhook } from '../webhooks/dispatch.ts';
import { watchForDeafness } from './deafness.ts';
import { createHeldBack } from './held-back.ts';
import { createUndertaker, holdLiveness } from './liveness.ts';
import { mendLocalQueues } from './local-queue.ts';
import { provisionPivots } from './provision-pivots.ts';
import { reviveDeadJobs } from './revive.ts';
import { checkResource, queueDueChecks } from './sweep.ts';

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
  ...nightlyTasks(app),
});

/** Nobody stands waiting for what a job asks of the provider. */
const askingAsWork = (tasks: Tasks): TaskList =>
  Object.fromEntries(
    Object.entries(tasks).map(([name, task]): [string, Task] => [
      name,
      (payload, helpers) => asWork(() => task(payload, helpers)),
    ]),
  );

/** Starts working; `stop` finishes the jobs in hand and resolves when none is left. */
export async function startWorker(app: App, pool: Pool): Promise<{ stop: () => Promise<void> }> {
  const stopping = new AbortController();
  const first = await startRunner(app, pool, stopping.signal);
  const working = keepWorking(app, pool, first, stopping.signal);
  provisionPivots(app).catch((error: unknown) =>
    app.log.error({ error }, 'USDC accounts could not be ordered'),
  );
  return {
    stop: async () => {
      stopping.abort();
      await working;
    },
  };
}

type Running = { ended: Promise<void> };

// A runner ends by itself only when the database failed it at a bad moment; work goes on with a new one.
async function keepWorking(app: App, pool: Pool, first: Running, stopping: AbortSignal): Promise<void> {
  let running: Running | null = first;
  for (;;) {
    await running?.ended;
    if (stopping.aborted) return;
    await pause(RESTART_AFTER_MS, undefined, { signal: stopping }).catch(() => undefined);
    if (stopping.aborted) return;
    running = await startRunner(app, pool, stopping).catch((error: unknown) => {
      app.log.error({ error }, 'the worker could not start again yet');
      return null;
    });
  }
}

async function startRunner(app: App, pool: Pool, stopping: AbortSignal): Promise<Running> {
  const events: WorkerEvents = new EventEmitter();
  const created = new Promise<string>((resolve) => {
    events.once('pool:create', ({ workerPool }) => resolve(workerPool.id));
  });
  mendLocalQueues(events);
  const runner = await run({
    pgPool: pool,
    taskList: askingAsWork(tasksOf(app)),
    concurrency: app.config.workerConcurrency,
    parsedCronItems: nightlySchedule,
    noHandleSignals: true,
    pollInterval: 1_000,
    events,
    logger: new Logger(() => (level, message) => app.log[severityOf(level)](message)),
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
  const liveness = holdLiveness(pool, workerId);
  const recurring = [
    every(SWEEP_EVERY_MS, () => queueDueChecks(app), app),
    every(FREE_EVERY_MS, createUndertaker(pool, workerId), app),
    every(REVIVE_EVERY_MS, () => reviveDeadJobs(pool), app),
  ];

  // After some failures of the database the queue's own shutdown waits for itself for ever: it is given a while, and then
  // left behind. The jobs it held are freed with its lock.
  const givenUp = Promise.withResolvers<void>();
  events.once('pool:gracefulShutdown', () => {
    setTimeout(givenUp.resolve, stopping.aborted ? GRACE_MS : GRACE_AFTER_FAILURE_MS).unref();
  });

  let stopped = Promise.resolve();
  const stop = (): void => {
    stopped = runner.stop().catch(() => undefined);
  };
  if (stopping.aborted) stop();
  else stopping.addEventListener('abort', stop, { once: true });
  const deafness = watchForDeafness(events, () => {
    app.log.error('the worker hears of no job: another one takes its place');
    stop();
  });

  const end = async (): Promise<void> => {
    const finished = runner.promise
      .catch((error: unknown) => app.log.error({ error }, 'the worker broke off'))
      .then(() => stopped);
    await Promise.race([finished, givenUp.promise]);
    stopping.removeEventListener('abort', stop);
    deafness.end();
    await Promise.all(recurring.map((work) => work.stop()));
    await liveness.release();
  };
  return { ended: end() };
}

/** Runs `work` again and again, never twice at a time; a failure is logged and the next turn comes all the same. */
function every(intervalMs: number, work: () => Promise<void>, app: App): { stop: () => Promise<void> } {
  let inHand: Promise<void> | null = null;
  const turn = async (): Promise<void> => {
    await work().catch((error: unknown) => app.log.error({ error }, 'recurring work failed'));
    inHand = null;
  };
  const timer = setInterval(() => {
    inHand ??= turn();
  }, intervalMs);
  return {
    stop: async () => {
      clearInterval(timer);
      await inHand;
    },
  };
}

// The queue's own chatter about each job is of use to those who debug it.
const severityOf = (level: LogLevel): 'error' | 'warn' | 'debug' => {
  if (level === 'error') return 'error';
  return level === 'warning' ? 'warn' : 'debug';
};

// The worker process: takes jobs from the queue, outlives a database that goes away, and lets go of its jobs when it stops.
import { EventEmitter } from 'node:events';
import { Logger, type LogLevel, type Runner, run, type TaskList, type WorkerEvents } from 'graphile-worker';
import type { Pool } from 'pg';
import type { App } from '../app.ts';
import { runEffect } from '../effects/run.ts';
import { dispatchWebhook } from '../webhooks/dispatch.ts';
import { freeJobsOfTheDead, holdLiveness } from './liveness.ts';
import { checkResource, queueDueChecks } from './sweep.ts';

const SWEEP_EVERY_MS = 1_000;
const FREE_EVERY_MS = 5_000;
const RESTART_AFTER_MS = 1_000;
const GRACE_MS = 8_000;

const tasksOf = (app: App): TaskList => ({
  runEffect: (payload) => runEffect(app, (payload as { effectId: string }).effectId),
  dispatchWebhook: (payload) => dispatchWebhook(app, (payload as { eventId: string }).eventId),
  checkResource: (payload) => checkResource(app, (payload as { handle: string }).handle),
});

/** Starts working; `stop` finishes the jobs in hand and resolves when none is left. */
export async function startWorker(app: App, pool: Pool): Promise<{ stop: () => Promise<void> }> {
  let stopping = false;
  let current = await startRunner(app, pool);

  // A runner ends by itself only when the database failed it at a bad moment; work goes on with a new one.
  const watch = async (): Promise<void> => {
    await current.runner.promise.catch((error: unknown) => app.log.error({ error }, 'the worker broke off'));
    current.release();
    while (!stopping) {
      await new Promise((resolve) => setTimeout(resolve, RESTART_AFTER_MS));
      if (stopping) return;
      try {
        current = await startRunner(app, pool);
        return void watch();
      } catch (error) {
        app.log.error({ error }, 'the worker could not start again yet');
      }
    }
  };
  void watch();

  return {
    stop: async () => {
      stopping = true;
      await current.runner.stop().catch(() => undefined);
      current.release();
    },
  };
}

async function startRunner(app: App, pool: Pool): Promise<{ runner: Runner; release: () => void }> {
  const events: WorkerEvents = new EventEmitter();
  const created = new Promise<string>((resolve) => {
    events.once('pool:create', ({ workerPool }) => resolve(workerPool.id));
  });
  const runner = await run({
    pgPool: pool,
    taskList: tasksOf(app),
    concurrency: app.config.workerConcurrency,
    noHandleSignals: true,
    pollInterval: 1_000,
    events,
    logger: new Logger(() => (level, message) => app.log[severityOf(level)](message)),
    // Without these two, stopping returns before the last completions are written.
    preset: {
      worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0, gracefulShutdownAbortTimeout: GRACE_MS },
    },
  });
  const workerId = await created;
  const liveness = await holdLiveness(pool, workerId);
  const sweep = every(SWEEP_EVERY_MS, () => queueDueChecks(app), app);
  const free = every(FREE_EVERY_MS, () => freeJobsOfTheDead(pool, workerId), app);
  return {
    runner,
    release: () => {
      clearInterval(sweep);
      clearInterval(free);
      liveness.release();
    },
  };
}

/** Runs `work` again and again, never twice at a time; a failure is logged and the next turn comes all the same. */
function every(intervalMs: number, work: () => Promise<void>, app: App): NodeJS.Timeout {
  let busy = false;
  const turn = async (): Promise<void> => {
    if (busy) return;
    busy = true;
    await work().catch((error: unknown) => app.log.error({ error }, 'recurring work failed'));
    busy = false;
  };
  return setInterval(() => void turn(), intervalMs);
}

// The queue's own chatter about each job is of use to those who debug it.
const severityOf = (level: LogLevel): 'error' | 'warn' | 'debug' => {
  if (level === 'error') return 'error';
  return level === 'warning' ? 'warn' : 'debug';
};

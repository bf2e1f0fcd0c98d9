// Keeps a process alive: whenever it ends, it is started again, until the run stops it.
import { appendFileSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { compiledService } from './compiled.ts';
import { type NodeProcess, ROOT, startNode } from './node-process.ts';
import { startFlags } from './start-flags.ts';

const START_AGAIN_MS = 300;
/** A process that ends before it is ready is started again. */
const READY_WITHIN_MS = 180_000;

export type KeptProcess = {
  /** Kills the process immediately. After `awayMs` it is started again with the `environment` of that time. */
  kill: (awayMs?: number) => void;
  /** Starts a killed process now, whatever the time that it was to be away. */
  start: () => void;
  /** Ends the process in order. It is started again when `until` has resolved. Resolves when the process has ended. */
  rest: (until: Promise<unknown>) => Promise<void>;
  /** Stops the process with SIGSTOP, and continues it after `forMs`. */
  pause: (forMs: number) => Promise<void>;
  ready: () => Promise<void>;
  isReady: () => boolean;
  /** The process and when it was started, on `performance.now()`. Null while it does not run. */
  current: () => { pid: number; startedAt: number } | null;
  /** How often the process ended after it had been ready, other than by `kill` or `end`. */
  falls: () => number;
  end: () => Promise<void>;
};

/**
 * @param program the module for Node.js to run, from the root of the project.
 * @param environment read at each start.
 * @param logFile gets the output of every run of the process. The file is created here, because a reader may come before any output.
 * @param folder the project that the process belongs to: this one, or a mutated copy.
 * @param preload modules that Node.js imports before the program.
 */
export function keepRunning(
  program: string,
  environment: () => NodeJS.ProcessEnv,
  logFile: string,
  { folder = ROOT, preload = [] }: { folder?: string; preload?: string[] } = {},
): KeptProcess {
  const args = [...startFlags(folder), ...preload.flatMap((module) => ['--import', module]), program];
  let current: NodeProcess | null = null;
  let startedAt = 0;
  let isWanted = true;
  let awayMs: number | null = null;
  let resting: Promise<unknown> | null = null;
  let falls = 0;
  let away = new AbortController();
  appendFileSync(logFile, '');

  const run = async (): Promise<void> => {
    const env = { PATH: process.env['PATH'], ...compiledService(folder), ...environment() };
    current = startNode(args, { root: folder, env, onOutput: (chunk) => appendFileSync(logFile, chunk) });
    startedAt = performance.now();
    const { wasReady } = await current.ended;
    if (wasReady && isWanted && awayMs === null && resting === null) falls += 1;
  };

  const live = async (): Promise<void> => {
    while (isWanted) {
      await run();
      const restMs = awayMs ?? START_AGAIN_MS;
      awayMs = null;
      away = new AbortController();
      if (isWanted) await pause(restMs, undefined, { signal: away.signal }).catch(() => undefined);
      await resting;
      resting = null;
    }
  };
  const running = live();

  return {
    kill: (ms = START_AGAIN_MS) => {
      if (!current?.isRunning()) return;
      awayMs = ms;
      current.child.kill('SIGKILL');
    },
    start: () => away.abort(),
    rest: async (until) => {
      resting = until;
      await current?.stop();
    },
    pause: async (forMs) => {
      const paused = current?.child;
      paused?.kill('SIGSTOP');
      await pause(forMs);
      paused?.kill('SIGCONT');
    },
    ready: async () => {
      for (const begun = Date.now(); !current?.isReady(); await pause(20))
        if (Date.now() - begun > READY_WITHIN_MS)
          throw new Error(`${program} does not start: ${readFileSync(logFile, 'utf8').slice(-500)}`);
    },
    isReady: () => current?.isReady() ?? false,
    current: () => {
      const pid = current?.isRunning() ? current.child.pid : undefined;
      return pid === undefined ? null : { pid, startedAt };
    },
    falls: () => falls,
    end: async () => {
      isWanted = false;
      away.abort();
      await current?.stop('SIGKILL');
      await running;
    },
  };
}

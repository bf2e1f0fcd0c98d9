// Keeps a process of the run alive: whenever the process ends, it is started again, until the run stops it.
import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startFlags } from '../../scripts/start-flags.ts';
import { compiledService } from '../compiled.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const START_AGAIN_MS = 300;
/** Starting takes long on a busy machine. */
const START_PATIENCE_MS = 180_000;

export type Child = {
  /** Kills the process immediately. After `awayMs` it is started again with the `environment` of that time. */
  kill: (awayMs?: number) => void;
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
 * @param entry the module for Node to run, from the root of the project.
 * @param environment read at each start.
 * @param logFile receives the output of every run of the process.
 * @param folder the project that the process belongs to: this one, or a mutated copy.
 * @param preload modules that Node imports before the entry.
 */
export function keepRunning(
  entry: string,
  environment: () => NodeJS.ProcessEnv,
  logFile: string,
  { folder = ROOT, preload = [] }: { folder?: string; preload?: string[] } = {},
): Child {
  const flags = [...startFlags(folder), ...preload.flatMap((module) => ['--import', module])];
  const log = openSync(logFile, 'a');
  let child: ChildProcess | null = null;
  let isReady = false;
  let isWanted = true;
  let awayMs: number | null = null;
  let falls = 0;
  let startedAt = 0;
  let running = Promise.resolve();

  const run = (): Promise<void> =>
    new Promise((resolve) => {
      const started = spawn(process.execPath, [...flags, entry], {
        cwd: folder,
        env: { PATH: process.env['PATH'], ...compiledService(folder), ...environment() },
        stdio: ['ignore', 'pipe', log, 'ipc'],
      });
      child = started;
      startedAt = performance.now();
      started.once('message', () => (isReady = true));
      started.stdout?.on('data', (chunk: Buffer) => {
        appendFileSync(log, chunk);
        if (chunk.includes('ready at')) isReady = true;
      });
      started.once('exit', () => {
        if (isReady && isWanted && awayMs === null) falls += 1;
        isReady = false;
        resolve();
      });
    });

  const live = async (): Promise<void> => {
    while (isWanted) {
      await run();
      const restMs = awayMs ?? START_AGAIN_MS;
      awayMs = null;
      if (isWanted) await pause(restMs);
    }
  };
  running = live();

  return {
    kill: (ms = START_AGAIN_MS) => {
      if (child === null || child.exitCode !== null || child.signalCode !== null) return;
      awayMs = ms;
      child.kill('SIGKILL');
    },
    pause: async (forMs) => {
      const paused = child;
      paused?.kill('SIGSTOP');
      await pause(forMs);
      paused?.kill('SIGCONT');
    },
    ready: async () => {
      for (const begun = Date.now(); !isReady; await pause(20))
        if (Date.now() - begun > START_PATIENCE_MS)
          throw new Error(`${entry} does not start: ${readFileSync(logFile, 'utf8').slice(-500)}`);
    },
    isReady: () => isReady,
    current: () =>
      child?.pid === undefined || child.exitCode !== null || child.signalCode !== null
        ? null
        : { pid: child.pid, startedAt },
    falls: () => falls,
    end: async () => {
      isWanted = false;
      child?.kill('SIGKILL');
      await running;
    },
  };
}

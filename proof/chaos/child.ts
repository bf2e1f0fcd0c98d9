// A process of ours that is kept running: killed or ended by itself, it is started again, until it is no longer wanted.
import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { SMALL_YOUNG_GENERATION } from '../../scripts/local-stack.ts';
import { compiledService } from '../compiled.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const START_AGAIN_MS = 300;
/** On a machine that is busy with others, starting takes its time. */
const START_PATIENCE_MS = 180_000;

export type Child = {
  /** Kills it at once; it is started again with what `environment` then says, after so long. */
  kill: (awayMs?: number) => void;
  /** Resolves when it runs and has said so. */
  ready: () => Promise<void>;
  isReady: () => boolean;
  /** How often it ended after it had been ready, without our doing. */
  falls: () => number;
  end: () => Promise<void>;
};

/**
 * @param entry what Node is to run, from the root of the project.
 * @param environment asked at each start.
 * @param logFile where its output goes, one run after the other.
 */
export function keepRunning(entry: string, environment: () => NodeJS.ProcessEnv, logFile: string): Child {
  const log = openSync(logFile, 'a');
  let child: ChildProcess | null = null;
  let isReady = false;
  let isWanted = true;
  let awayMs: number | null = null;
  let falls = 0;
  let running = Promise.resolve();

  const run = (): Promise<void> =>
    new Promise((resolve) => {
      const started = spawn(process.execPath, [SMALL_YOUNG_GENERATION, entry], {
        cwd: ROOT,
        env: { PATH: process.env['PATH'], ...compiledService(SMALL_YOUNG_GENERATION), ...environment() },
        stdio: ['ignore', 'pipe', log, 'ipc'],
      });
      child = started;
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
    ready: async () => {
      for (const begun = Date.now(); !isReady; await pause(20))
        if (Date.now() - begun > START_PATIENCE_MS)
          throw new Error(`${entry} does not start: ${readFileSync(logFile, 'utf8').slice(-500)}`);
    },
    isReady: () => isReady,
    falls: () => falls,
    end: async () => {
      isWanted = false;
      child?.kill('SIGKILL');
      await running;
    },
  };
}

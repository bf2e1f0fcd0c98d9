// The service as a process that can crash: its points are recorded, and it is started again on the same port after a crash.
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { compiledService } from '../compiled.ts';
import type { Notice, Watch } from './preload/points.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const START_WITHIN_MS = 180_000;
const MOST_STARTS = 5;

export type Service = {
  /**
   * Changes the point that the process waits for. Resolves when the process has confirmed it.
   * @returns the points reported until now.
   */
  watch: (watch: Watch['watch']) => Promise<string[]>;
  /** How often the process has ended by itself. */
  deaths: () => number;
  /**
   * Resolves when a process is up and ready, immediately if one is.
   * @throws if none becomes ready.
   */
  ready: () => Promise<void>;
  /**
   * Kills the process and starts it again, with empty caches.
   * @param changes additions to its environment from now on.
   */
  renew: (changes?: NodeJS.ProcessEnv) => Promise<void>;
  /**
   * Runs a command of the operators' command line next to the service, watched under that name. A command that crashed is run
   * again.
   */
  operate: (name: string, args: string[]) => Promise<void>;
  stop: () => Promise<void>;
};

export async function startService(settings: NodeJS.ProcessEnv): Promise<Service> {
  let env = settings;
  let watched: Watch['watch'] = 'nothing';
  let deaths = 0;
  let isStopping = false;
  let points: string[] = [];
  let child: ChildProcess;
  let up: Promise<void>;
  let isExpected = false;

  const start = (): void => {
    child = spawn(process.execPath, ['--import', './proof/crash/points.ts', 'src/start/serve.ts'], {
      cwd: ROOT,
      env: { PATH: process.env['PATH'], ...compiledService(), ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const started = child;
    let output = '';
    const keep = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-4_000);
    };
    started.stdout?.on('data', keep);
    started.stderr?.on('data', keep);
    up = readiness(started, () => output);
    // A rejected promise without a listener is not an error here.
    up.catch(() => undefined);
    started.on('message', (message: Partial<{ point: string }>) => {
      if (message.point !== undefined) points.push(message.point);
    });
    started.once('exit', (_code, signal) => {
      if (isStopping) return;
      if (!isExpected && signal === 'SIGKILL') deaths += 1;
      isExpected = false;
      start();
    });
  };
  start();

  /** Repeats a start that fails on a busy machine. */
  const ready = async (): Promise<void> => {
    for (let left = MOST_STARTS; left > 1; left -= 1) {
      const isUp = await up.then(
        () => true,
        () => false,
      );
      if (isUp) return;
    }
    await up;
  };
  return {
    watch: async (watch) => {
      await ready();
      await answered(child, { watch });
      watched = watch;
      const reported = points;
      points = [];
      return reported;
    },
    deaths: () => deaths,
    ready,
    renew: async (changes = {}) => {
      env = { ...env, ...changes };
      isExpected = true;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await gone;
      await ready();
    },
    operate: async (name, args) => {
      for (;;) {
        const watching = { CRASH_ACTOR: name, CRASH_WATCH: JSON.stringify({ watch: watched }) };
        const ended = await runCommand(args, { ...env, ...watching }, (point) => points.push(point));
        if (ended === 'done') return;
        deaths += 1;
        watched = 'nothing';
      }
    },
    stop: async () => {
      isStopping = true;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await gone;
    },
  };
}

/** @throws an error with the command's output if it fails. */
function runCommand(
  args: string[],
  env: NodeJS.ProcessEnv,
  onPoint: (point: string) => void,
): Promise<'done' | 'crashed'> {
  const child = spawn(process.execPath, ['--import', './proof/crash/points.ts', 'ops/main.ts', ...args], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], ...compiledService(), ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  child.on('message', (message: Partial<{ point: string }>) => {
    if (message.point !== undefined) onPoint(message.point);
  });
  return new Promise((resolve, reject) =>
    child.once('close', (code, signal) => {
      if (signal === 'SIGKILL') resolve('crashed');
      else if (code === 0) resolve('done');
      else reject(new Error(`${args.join(' ')} ended with ${code}: ${output}`));
    }),
  );
}

function readiness(child: ChildProcess, output: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (): void => reject(new Error(`the service did not start: ${output()}`));
    const late = setTimeout(fail, START_WITHIN_MS);
    child.once('exit', () => {
      clearTimeout(late);
      fail();
    });
    child.on('message', (message: Partial<{ ready: string }>) => {
      if (message.ready === undefined) return;
      clearTimeout(late);
      resolve();
    });
  });
}

/** Points that were reported before the answer also arrived before it. */
function answered(child: ChildProcess, watch: Watch): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (settle: () => void): void => {
      child.off('message', onAnswer);
      child.off('exit', onExit);
      settle();
    };
    const onAnswer = (message: Partial<Notice>): void => {
      if ('watching' in message) done(resolve);
    };
    const onExit = (): void =>
      done(() => reject(new Error('the service ended while it was told what to look out for')));
    child.on('message', onAnswer);
    child.once('exit', onExit);
    child.send(watch);
  });
}

// The service as a process, as in production: started, watched, killed.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { capture, markSecrets } from './leak-watch.ts';
import { watchedEnvironment } from './lock-order.ts';
import { until } from './until.ts';

export type ServiceProcess = {
  child: ChildProcess;
  /** Everything that the process has written so far to both streams. */
  output: () => string;
  /** Resolves with the exit code, or with the signal that ended the process. */
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
};

export const ROOT = new URL('../..', import.meta.url).pathname;

/** The variables of every process besides its own: the path of programs, the compile cache, and the watch over its row locks. */
export const surroundings = (): NodeJS.ProcessEnv => {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return { PATH, NODE_COMPILE_CACHE, ...watchedEnvironment };
};

const started = new Set<ChildProcess>();

export function startProcess(env: NodeJS.ProcessEnv): ServiceProcess {
  markSecrets(env);
  const child = spawn(process.execPath, ['src/start/serve.ts'], {
    cwd: ROOT,
    env: { ...surroundings(), ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  started.add(child);
  let output = '';
  const keep = (chunk: Buffer): void => {
    output += chunk.toString();
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('close', (code, signal) => {
      started.delete(child);
      capture('the log', output);
      resolve({ code, signal });
    });
  });
  return { child, output: () => output, exited };
}

/**
 * Starts the service and waits until it reports that it is ready.
 * @throws an error with its output if it ends instead.
 */
export async function startReadyProcess(env: NodeJS.ProcessEnv): Promise<ServiceProcess> {
  const service = startProcess(env);
  let isReady = false;
  service.child.once('message', () => {
    isReady = true;
  });
  await until(
    async () => (service.child.exitCode === null ? isReady : service.output()),
    (seen) => seen !== false,
  );
  if (!isReady) throw new Error(`it did not start: ${service.output()}`);
  return service;
}

/** Kills all processes that a test file started, at its end. */
export async function killProcesses(): Promise<void> {
  const ended = [...started].map((child) => new Promise((resolve) => child.once('close', resolve)));
  for (const child of started) child.kill('SIGKILL');
  await Promise.all(ended);
}

/** Returns whether the process is alive. A process that has ended and was not reaped by its parent is not alive. */
export function isAlive(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.startsWith('Z');
}

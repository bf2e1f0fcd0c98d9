// A version of the service in a folder of its own, and its processes.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, openSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../scripts/free-port.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const START_WITHIN_MS = 180_000;

export type Version = { name: string; folder: string };

export const present: Version = { name: 'this version', folder: ROOT };

const lockOf = (folder: string): string => readFileSync(join(folder, 'package-lock.json'), 'utf8');

/** Takes a commit's files out of the repository, and installs its packages unless they are those of this version. */
export function checkOut(commit: string, folder: string): Version {
  mkdirSync(folder, { recursive: true });
  const files = execFileSync('git', ['archive', commit], { cwd: ROOT, maxBuffer: 1 << 30 });
  execFileSync('tar', ['-x', '-C', folder], { input: files });
  if (lockOf(folder) === lockOf(ROOT)) symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  else
    execFileSync('npm', ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
  return { name: commit, folder };
}

/**
 * Runs the version's `npm run db:migrate`.
 * @throws an error with its output if it fails.
 */
export function migrate({ folder }: Version, env: NodeJS.ProcessEnv): Promise<void> {
  const child = start(folder, 'db:migrate', env, ['ignore', 'pipe', 'pipe']);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  return new Promise((resolve, reject) =>
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`db:migrate ended with ${code}: ${output}`));
    }),
  );
}

export type Running = {
  url: string;
  /** Answers whether the process takes requests. */
  readyUrl: string;
  /** Sends SIGTERM, and resolves with the exit code. */
  stop: () => Promise<number | null>;
};

/** Runs the version's `npm run serve`, with a log in the folder. Resolves when the process is ready. */
export async function serve(
  { name, folder }: Version,
  { env, folder: logs }: { env: NodeJS.ProcessEnv; folder: string },
): Promise<Running> {
  const [port, metricsPort] = await Promise.all([freePort(), freePort()]);
  const logFile = join(logs, `${port}.log`);
  const log = openSync(logFile, 'a');
  const ports = { PORT: String(port), METRICS_PORT: String(metricsPort) };
  const child = start(folder, 'serve', { ...env, ...ports }, ['ignore', log, log, 'ipc']);
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  await new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`${name} is not ready: see ${logFile}`)), START_WITHIN_MS);
    child.once('message', () => {
      clearTimeout(late);
      resolve();
    });
    void ended.then((code) => reject(new Error(`${name} ended with ${code}: see ${logFile}`)));
  });
  return {
    url: `http://127.0.0.1:${port}`,
    readyUrl: `http://127.0.0.1:${metricsPort}/ready`,
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

/** Starts a script of the version's package.json, which runs Node, without npm in between. */
function start(
  folder: string,
  script: string,
  env: NodeJS.ProcessEnv,
  stdio: ('ignore' | 'pipe' | 'ipc' | number)[],
): ChildProcess {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const [, ...args] = (scripts[script] ?? '').split(' ');
  return spawn(process.execPath, args, { cwd: folder, env: { PATH: process.env['PATH'], ...env }, stdio });
}

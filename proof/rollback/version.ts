// A version of the service in a folder of its own, and its processes.
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../harness/processes/free-port.ts';
import { ROOT, runNode, startNode } from '../../harness/processes/node-process.ts';

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
export const migrate = async ({ folder }: Version, env: NodeJS.ProcessEnv): Promise<void> =>
  void (await runNode(argumentsOf(folder, 'db:migrate'), { root: folder, env: withPath(env) }));

export type Running = {
  url: string;
  /** Answers whether the process takes requests. */
  readyUrl: string;
  /** Sends SIGTERM, and resolves with the exit code. */
  stop: () => Promise<number | null>;
};

/** Runs the version's `npm run serve`, with a log in the folder. Resolves when the process is ready. */
export async function serve(
  { folder }: Version,
  { env, folder: logs }: { env: NodeJS.ProcessEnv; folder: string },
): Promise<Running> {
  const [port, metricsPort] = await Promise.all([freePort(), freePort()]);
  const logFile = join(logs, `${port}.log`);
  const service = startNode(argumentsOf(folder, 'serve'), {
    root: folder,
    env: withPath({ ...env, PORT: String(port), METRICS_PORT: String(metricsPort) }),
    onOutput: (chunk) => appendFileSync(logFile, chunk),
  });
  await service.ready();
  return {
    url: `http://127.0.0.1:${port}`,
    readyUrl: `http://127.0.0.1:${metricsPort}/ready`,
    stop: async () => (await service.stop()).code,
  };
}

const withPath = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({ PATH: process.env['PATH'], ...env });

/** Returns the arguments for Node.js of a script of the version's package.json. npm itself does not run. */
function argumentsOf(folder: string, script: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  return (scripts[script] ?? '').split(' ').slice(1);
}

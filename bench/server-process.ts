// A server under measurement, as a separate process. It reports its address, and its processor time on request.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { ROOT } from '../harness/processes/node-process.ts';
import { startFlags } from '../harness/processes/start-flags.ts';

export type ServerProcess = { url: string; child: ChildProcess; stop: () => Promise<void> };

/** @param file a module that calls `serveMeasured` (see serve-measured.ts). */
export async function startServerProcess(file: string, env: NodeJS.ProcessEnv): Promise<ServerProcess> {
  const profiling = process.env['BENCH_CPU_PROF'];
  const child = fork(file, {
    env: { ...process.env, ...env },
    // These are the flags of production.
    execArgv: [...startFlags(ROOT), ...(profiling ? ['--cpu-prof', `--cpu-prof-dir=${profiling}`] : [])],
  });
  const [url] = (await Promise.race([once(child, 'message'), failed(child, file)])) as [string];
  return { url, child, stop: () => ended(child) };
}

/** The processor time used so far, user and system, in microseconds. */
export async function processorUs(child: ChildProcess): Promise<number> {
  const answer = once(child, 'message');
  child.send('how much?');
  const [used] = await answer;
  return Number(used);
}

async function failed(child: ChildProcess, file: string): Promise<never> {
  await once(child, 'exit');
  throw new Error(`${file} ended before it listened`);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.disconnect();
  await exit;
}

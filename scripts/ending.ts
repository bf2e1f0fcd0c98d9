// Decides when a script that runs a local stack ends: on a signal, when its output has no reader any more, and when the npm that
// runs it has ended. Otherwise its processes would continue unnoticed.
import { readFileSync } from 'node:fs';
import { readProcess } from '../harness/processes/linux-processes.ts';

const LOOK_EVERY_MS = 250;

/** @param end is called once, with the exit code. */
export function onceToEnd(end: (code: number) => void): void {
  let isEnding = false;
  const endWith = (code: number) => (): void => {
    if (isEnding) return;
    isEnding = true;
    end(code);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, endWith(0));
  for (const output of [process.stdout, process.stderr]) output.on('error', endWith(1));
  // A script started by hand may outlive the shell that started it.
  if (process.env['npm_lifecycle_event'] !== undefined) whenGone(findNpm(), endWith(1));
}

function whenGone(find: () => number, act: () => void): void {
  const was = find();
  setInterval(() => find() === was || act(), LOOK_EVERY_MS).unref();
}

/** @returns a look-up of the npm process that runs this script. npm starts a shell, which on some systems stays in between. */
function findNpm(): () => number {
  const shell = process.ppid;
  return isShellWithCommand(shell)
    ? () => (process.ppid === shell ? (readProcess(shell)?.parent ?? 0) : 0)
    : () => process.ppid;
}

// Without /proc, assumes that shells replace themselves by the one command that they are given.
function isShellWithCommand(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes('-c');
  } catch {
    return false;
  }
}

// A process beside a local stack, for the case that the process that started both is killed: nothing else would then
// stop the database, or remove a temporary folder.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export type Charge = {
  databaseFolder: string;
  /** Files and folders that must not outlast the run. */
  remove: string[];
};
/** The id of a process to wait for; everything has been started; everything has been stopped in order. */
export type Told = number | 'started' | 'dismissed';

export type Caretaker = { tell: (told: Told) => void };

export function startCaretaker(charge: Charge): Caretaker {
  const main = fileURLToPath(new URL('caretaker-main.ts', import.meta.url));
  const child = spawn(process.execPath, [main, JSON.stringify(charge)], {
    // In a session of its own, so that signals from a terminal do not reach it.
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // It does not keep its parent from exiting, and its own exit changes nothing.
  child.unref();
  child.channel?.unref();
  child.on('error', () => undefined);
  return {
    tell: (told) => {
      if (child.connected) child.send(told, () => undefined);
    },
  };
}

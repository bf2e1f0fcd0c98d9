// A process beside a local stack, for the case that the one that started both is killed: nothing else would then stop the
// database, or take away a folder that was for one run only.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export type Charge = {
  databaseFolder: string;
  /** Files and folders that must not outlast the run. */
  remove: string[];
};
/** The number of a process that is to be waited for; that all has been started; that all has been stopped in order. */
export type Told = number | 'started' | 'dismissed';

export type Caretaker = { tell: (told: Told) => void };

export function startCaretaker(charge: Charge): Caretaker {
  const main = fileURLToPath(new URL('caretaker-main.ts', import.meta.url));
  const child = spawn(process.execPath, [main, JSON.stringify(charge)], {
    // In a session of its own: what a terminal says to everything that runs in it is not meant for this.
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // It keeps nobody from ending, and its own end changes nothing.
  child.unref();
  child.channel?.unref();
  child.on('error', () => undefined);
  return {
    tell: (told) => {
      if (child.connected) child.send(told, () => undefined);
    },
  };
}

// A journal of observations, as JSON lines in a file: written before the observation is used, and limited by the disk
// alone.
import { closeSync, openSync, writeSync } from 'node:fs';

export type Journal = { file: string; write: (line: object) => void; close: () => void };

export function openJournal(file: string): Journal {
  const descriptor = openSync(file, 'a');
  return {
    file,
    write: (line) => void writeSync(descriptor, `${JSON.stringify(line)}\n`),
    close: () => closeSync(descriptor),
  };
}

// A journal of observations: a file of JSON lines. Each line is written before its observation is used. Only the disk limits the
// size.
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

// Writes small files so that a process that is killed meanwhile leaves the former file or the new one, never a part.
import { renameSync, writeFileSync } from 'node:fs';

/** Replaces the file, which only this user may read. */
export function writeWhole(file: string, text: string): void {
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, text, { mode: 0o600 });
  renameSync(unfinished, file);
}

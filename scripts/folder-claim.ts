// Allows one stack for each data folder: a second one would stop the database of the first.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandOf } from './process-command.ts';

type Claim = { pid: number; command: string; url: string };

/**
 * Marks the folder as used by this process.
 * @param url the future address of the stack.
 * @returns the file of the mark, which must be removed at the end.
 * @throws if the stack of a running process uses the folder.
 */
export function claimFolder(folder: string, url: string): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'stack.pid');
  const owner = claimIn(file);
  if (owner !== null)
    throw new Error(
      `the stack at ${owner.url} (process ${owner.pid}) uses the data folder ${folder}; stop it, or choose another one with DATA_FOLDER`,
    );
  const claim: Claim = { pid: process.pid, command: commandOf(process.pid) ?? '', url };
  writeFileSync(file, JSON.stringify(claim));
  return file;
}

/** @returns null if no running process uses the folder: a killed process leaves its claim. */
function claimIn(file: string): Claim | null {
  try {
    const claim = JSON.parse(readFileSync(file, 'utf8')) as Claim;
    return commandOf(claim.pid) === claim.command ? claim : null;
  } catch {
    return null;
  }
}

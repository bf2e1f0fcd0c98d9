// Allows one stack for each data folder: a second one would stop the database of the first.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandOf } from '../processes/process-command.ts';
import { writeWhole } from './whole-file.ts';

type Claim = { id: string; pid: number; command: string; url: string; caretaker?: number | undefined };

/** The claim of one run. A caretaker acts in the folder only while no other run has claimed it. */
export type OwnClaim = { file: string; id: string };

/** The ids of this process's claims. After a restart of a container, another run's claim can name this process's id and command. */
const ownIds = new Set<string>();

/**
 * Marks the folder as used by this process.
 * @param url the future address of the stack.
 * @returns the claim, whose file must be removed at the end; a function that adds the caretaker's process id to it; and the process id
 *   of the caretaker of a former run that was killed, or null.
 * @throws if the stack of a running process uses the folder, or if this user cannot write there.
 */
export function claimFolder(
  folder: string,
  url: string,
): { claim: OwnClaim; noteCaretaker: (pid: number | undefined) => void; formerCaretaker: number | null } {
  const file = join(folder, 'stack.pid');
  const former = readClaim(file);
  if (former !== null && isRunning(former))
    throw new Error(
      `the stack at ${former.url} (process ${former.pid}) uses the data folder ${folder}; stop it, or choose another one with DATA_FOLDER`,
    );
  const claim: Claim = { id: randomUUID(), pid: process.pid, command: commandOf(process.pid) ?? '', url };
  ownIds.add(claim.id);
  try {
    mkdirSync(folder, { recursive: true });
    writeWhole(file, JSON.stringify(claim));
  } catch (error) {
    throw new Error(unusable(folder, error as NodeJS.ErrnoException), { cause: error });
  }
  return {
    claim: { file, id: claim.id },
    noteCaretaker: (caretaker) => writeWhole(file, JSON.stringify({ ...claim, caretaker })),
    formerCaretaker: former?.caretaker ?? null,
  };
}

export function isClaimedByAnother({ file, id }: OwnClaim): boolean {
  const claim = readClaim(file);
  return claim !== null && claim.id !== id;
}

function readClaim(file: string): Claim | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Claim;
  } catch {
    return null;
  }
}

/** A killed process leaves its claim, and its id may belong to another process by now. */
const isRunning = ({ id, pid, command }: Claim): boolean =>
  pid === process.pid ? ownIds.has(id) : commandOf(pid) === command;

function unusable(folder: string, { code, message }: NodeJS.ErrnoException): string {
  const choose = 'choose another one with DATA_FOLDER';
  if (code === 'EEXIST' || code === 'ENOTDIR')
    return `the data folder ${folder} is a file, or lies in one; ${choose}`;
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return `this user cannot write to the data folder ${folder}; make the folder yours, or ${choose}`;
  return `the data folder ${folder} cannot be used (${message}); ${choose}`;
}

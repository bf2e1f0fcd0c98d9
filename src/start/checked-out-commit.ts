// Reads which commit a folder has checked out from the files of git, because the service starts no other program.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const COMMIT = /^[0-9a-f]{40,64}$/;

/**
 * Returns the hash of the commit, or null if it cannot be read.
 * @param folder a folder with `.git` in it; its URL ends with a slash.
 */
export function checkedOutCommit(folder: URL): string | null {
  const own = gitFolderOf(folder);
  if (own === null) return null;
  const head = textIn(own, 'HEAD');
  const branch = /^ref: (?<name>refs\/[\w./-]+)$/.exec(head ?? '')?.groups?.['name'];
  if (branch === undefined) return commitIn(head);
  // Branches are in the folder of the repository, which a worktree shares.
  const shared = textIn(own, 'commondir');
  const common = shared === null ? own : folderAt(shared, own);
  return commitIn(textIn(common, branch)) ?? commitIn(packedIn(textIn(common, 'packed-refs'), branch));
}

/** Returns the folder `.git`, or the folder that a file `.git` names, as in a worktree. */
function gitFolderOf(folder: URL): URL | null {
  const named = /^gitdir: (?<path>.+)$/.exec(textIn(folder, '.git') ?? '')?.groups?.['path'];
  if (named !== undefined) return folderAt(named, folder);
  const inside = new URL('.git/', folder);
  return textIn(inside, 'HEAD') === null ? null : inside;
}

const folderAt = (path: string, base: URL): URL =>
  path.startsWith('/') ? pathToFileURL(`${path}/`) : new URL(`${path}/`, base);

/** Returns the line of a branch in the file that git packs branches into. */
const packedIn = (packed: string | null, branch: string): string | null =>
  packed
    ?.split('\n')
    .find((line) => line.endsWith(` ${branch}`))
    ?.split(' ', 1)[0] ?? null;

const commitIn = (text: string | null): string | null => (text !== null && COMMIT.test(text) ? text : null);

function textIn(folder: URL, name: string): string | null {
  try {
    return readFileSync(new URL(name, folder), 'utf8').trimEnd();
  } catch {
    return null;
  }
}

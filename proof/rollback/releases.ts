// Reads the commit of a release from docs/releases.csv. A clone may have no tags.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../harness/processes/node-process.ts';
import { recordsOf } from '../../scripts/csv.ts';

export type Release = { version: string; commit: string };

export const releases: Release[] = recordsOf(readFileSync(join(ROOT, 'docs/releases.csv'), 'utf8')).map(
  ([version = '', , commit = '']) => ({ version, commit }),
);

/**
 * Returns the commit of a release (`1.1.0`, `v1.1.0`), or the hash of what git knows by the name.
 * @throws an error with a sentence if this clone does not have the commit.
 */
export function commitOf(name: string): string {
  const release = releases.find(({ version }) => version === name.replace(/^v/, ''));
  const wanted = release?.commit ?? name;
  try {
    return execFileSync(
      'git',
      ['rev-parse', '--verify', '--quiet', '--end-of-options', `${wanted}^{commit}`],
      {
        cwd: ROOT,
        encoding: 'utf8',
      },
    ).trim();
  } catch {
    throw new Error(
      `this clone has no commit ${wanted}: name a release of docs/releases.csv or a commit, and fetch the whole history ` +
        '(git fetch --unshallow)',
    );
  }
}

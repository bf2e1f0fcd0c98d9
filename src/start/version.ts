// The version of this service, from package.json, and the commit that it was built from. The contract has the same version.
import project from '../../package.json' with { type: 'json' };
import { checkedOutCommit } from './checked-out-commit.ts';

const ROOT = new URL('../../', import.meta.url);

export const { version } = project;

/** `commit` is absent if it is unknown: in an image that was built without the argument, or in a folder without git. */
export type Build = { version: string; commit?: string };

/** Returns the version and the commit. @param config `commit` is that of the image, which has no files of git. */
export function buildOf(config: { commit: string | null }): Build {
  const commit = config.commit ?? checkedOutCommit(ROOT);
  return commit === null ? { version } : { version, commit };
}

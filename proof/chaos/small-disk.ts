// A small disk for the data of the database, which a run can fill: a file system in memory. Linux, and as root, who may mount it.
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const SIZE = '512m';

export type SmallDisk = {
  /** Takes the room that is left, with one file. @throws where some is left nevertheless. */
  fill: () => Promise<void>;
  free: () => void;
};

/** @param folder becomes the disk, until the run ends; then it has the same files, as an ordinary folder. */
export function mountSmallDisk(folder: string, atEnd: (stop: () => Promise<void>) => void): SmallDisk {
  mkdirSync(folder, { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', folder], { stdio: 'pipe' });
  } catch (cause) {
    throw new Error('a small disk cannot be mounted here: that takes Linux, and root', { cause });
  }
  const filler = join(folder, 'filler');
  const free = (): void => rmSync(filler, { force: true });
  atEnd(async () => {
    free();
    const kept = `${folder}-kept`;
    // With their owner, so that a server can be started on them.
    execFileSync('cp', ['-a', folder, kept]);
    execFileSync('umount', [folder]);
    rmdirSync(folder);
    renameSync(kept, folder);
  });
  return {
    fill: async () => {
      // It ends with an error: there is no room for more.
      await new Promise((resolve) => execFile('dd', ['if=/dev/zero', `of=${filler}`, 'bs=64k'], resolve));
      const { bavail, bsize } = statfsSync(folder);
      if (bavail > 0) throw new Error(`the disk has ${bavail * bsize} bytes left`);
    },
    free,
  };
}

// A small disk for the database's data, which a run can fill: a file system in memory. It needs Linux and root, who may mount it.
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const SIZE = '512m';

export type SmallDisk = {
  /**
   * Fills the remaining space with one file.
   * @throws if some space is still free.
   */
  fill: () => Promise<void>;
  free: () => void;
};

/** @param folder becomes the disk until the run ends. Then it is an ordinary folder with the same files. */
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
    // `-a` keeps the owner of the files, so that a server can be started on them.
    execFileSync('cp', ['-a', folder, kept]);
    execFileSync('umount', [folder]);
    rmdirSync(folder);
    renameSync(kept, folder);
  });
  return {
    fill: async () => {
      // The command ends with an error, because the disk is full.
      await new Promise((resolve) => execFile('dd', ['if=/dev/zero', `of=${filler}`, 'bs=64k'], resolve));
      const { bavail, bsize } = statfsSync(folder);
      if (bavail > 0) throw new Error(`the disk has ${bavail * bsize} bytes left`);
    },
    free,
  };
}

// Temporary folders for stacks and databases.
import { chmodSync, existsSync, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The file system in memory that Linux mounts. */
const MEMORY = '/dev/shm';
/** The least that must be free there, in bytes. A container has 64 MiB by default, which is too little for a run of all tests. */
const ROOM_BYTES = 4 * 1024 ** 3;

/** Creates a folder. The database may have to run as another user, so every user can access the folder. */
export function temporaryFolder(name: string, parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, `ponte-${name}-`));
  chmodSync(folder, 0o755);
  return folder;
}

/**
 * Creates a folder for databases that are copied for each test: a thousand files, whose copy on a disk takes eight times the processor
 * time. It is in memory if there is room, unless TMPDIR names a place.
 */
export function temporaryFolderInMemory(name: string): string {
  const isInMemory = process.env['TMPDIR'] === undefined && freeBytes(MEMORY) >= ROOM_BYTES;
  return temporaryFolder(name, isInMemory ? MEMORY : tmpdir());
}

function freeBytes(folder: string): number {
  if (!existsSync(folder)) return 0;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

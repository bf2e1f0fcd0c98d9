// Temporary folders for stacks and databases.
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates a folder. The database may have to run as another user, so every user can access the folder. */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `ponte-${name}-`));
  chmodSync(folder, 0o755);
  return folder;
}

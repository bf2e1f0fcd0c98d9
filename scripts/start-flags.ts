// The flags of Node that a process is started with. Only the script `serve` of package.json has them; the Dockerfile repeats
// them, and test/scripts/image.test.ts holds the two together.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @param root of this checkout, or of another one, whose processes then run as it runs them in production. */
export function startFlags(root: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: { serve: string };
  };
  return scripts.serve.split(' ').filter((word) => word.startsWith('--'));
}

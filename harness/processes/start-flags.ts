// The Node flags that a process is started with. Only the script `serve` of package.json has them. The Dockerfile repeats them, and
// test/scripts/image.test.ts checks that both are equal.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @param root the folder of this checkout, or of another one, whose processes then run as in its production. */
export function startFlags(root: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: { serve: string };
  };
  return scripts.serve.split(' ').filter((word) => word.startsWith('--'));
}

// docs/architecture.md has the number of files that one payment runs. `npm run trace:payment` prints them.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { documentText, inProject, sectionOf } from '../docs/markdown.ts';

const run = promisify(execFile);

test('docs/architecture.md has the number of files that one payment runs', async () => {
  const { stdout } = await run(process.execPath, ['scripts/trace-payment.ts'], {
    cwd: inProject(''),
    timeout: 280_000,
  });
  const ran = [...stdout.matchAll(/^(?<file>\S+\.ts): \S/gm)].map(({ groups = {} }) => groups['file'] ?? '');
  const section = sectionOf(documentText('docs/architecture.md'), '## What one payment runs');
  expect(section).toContain(` in ${ran.length} files**`);
  expect(ran).toContain('src/payments/confirm.ts');
});

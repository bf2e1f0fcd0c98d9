// The first minute of a new developer: the README's example as written, and the demo with a running stack at any port.
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { leaveOut } from '../../scripts/unchecked.ts';
import { useWorld } from '../support/use-world.ts';

const root = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

const tools = ['bash', 'curl', 'jq'];
const missing = tools.filter((tool) => spawnSync(tool, ['--version']).error !== undefined);
if (missing.length > 0)
  leaveOut('example', `Not on this machine: ${missing.join(', ')}; the README's example is skipped.`);

let folder: string;
const { world } = useWorld();
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ponte-first-minute-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
});

/** Removes this machine's settings, so that they do not name another stack. */
function environment(own: Record<string, string>): NodeJS.ProcessEnv {
  const { PORT: _port, SANDBOX_PORT: _sandboxPort, ...env } = process.env;
  return { ...env, ...own };
}

test.skipIf(missing.length > 0)("the README's example runs as written, to a completed payment", async () => {
  const [, section = ''] = readFileSync(join(root, 'README.md'), 'utf8').split('## One example');
  const example = /```sh\n([^]*?)```/.exec(section)?.[1] ?? '';
  expect(example).not.toMatch(/<\w+>|\.\.\./);
  const env = environment({
    PONTE_URL: world.url,
    SANDBOX_URL: world.sandboxUrl,
  });
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', example], { env, timeout: 100_000 });
  expect(stdout).toMatch(/"status":\s*"completed"/);
  expect(stdout).toMatch(/"endToEndId":\s*"E/);
});

const demo = (env: Record<string, string>) =>
  run(process.execPath, ['scripts/demo.ts'], { cwd: root, env: environment(env), timeout: 100_000 });
const portOf = (url: string): string => new URL(url).port;

test('the demo finds the stack by the file in its data folder', { timeout: 120_000 }, async () => {
  const settings = { ...world.env, PUBLIC_BASE_URL: world.url, RETURN_AFTER_HOURS: '0' };
  const lines = Object.entries(settings).map(([name, value]) => `${name}="${value}"\n`);
  writeFileSync(join(folder, 'stack.env'), lines.join(''));
  const { stdout } = await demo({ DATA_FOLDER: folder });
  expect(stdout).toContain(`Using the stack that runs at ${world.url}.`);
  expect(stdout).toMatch(/demo: \d+ steps, 0 failed/);
  expect(stdout).toContain('"code": "invalid_pix_key"');
  expect(stdout).toContain('"status": "refunded"');
});

test('the demo finds the stack by its ports', { timeout: 120_000 }, async () => {
  const { stdout } = await demo({ PORT: portOf(world.url), SANDBOX_PORT: portOf(world.sandboxUrl) });
  expect(stdout).toContain(`Using the stack that runs at http://localhost:${portOf(world.url)}.`);
  expect(stdout).toContain('nothing is returned');
  expect(stdout).toMatch(/demo: \d+ steps, 0 failed/);
});

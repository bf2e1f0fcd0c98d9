// Both linters on both contracts: Redocly reads the sources, Spectral the bundles. A warning fails it as an error does.
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');

const runs: readonly (readonly string[])[] = [
  ['node_modules/@redocly/cli/bin/cli.js', 'lint', '--format=stylish'],
  [
    'node_modules/@stoplight/spectral-cli/dist/index.js',
    'lint',
    'openapi/generated/openapi.json',
    'openapi/generated/provider.json',
    '--fail-severity=hint',
  ],
];

// Neither linter needs a network.
const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

for (const run of runs) {
  const { status } = spawnSync(process.execPath, run, { cwd: root, env, stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}

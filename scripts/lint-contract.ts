// Runs both linters on both contracts: Redocly reads the sources, Spectral the bundles. A warning fails the check like an error.
// Then it compares the contract with the last release: a change that breaks clients must be announced.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { brokenPromises } from './contract/promise.ts';
import { editedReleases, presentContract, releasedContracts } from './contract/releases.ts';

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

const changelog = readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8');
const broken = [...editedReleases(), ...brokenPromises(releasedContracts(), presentContract(), changelog)];
for (const promise of broken) console.error(promise);
if (broken.length > 0) process.exitCode = 1;

// The questions to npm: known vulnerabilities at a simulated registry that knows one or refuses, and the bill of materials.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { faultsInAdvisories } from '../../scripts/dependencies/registry.ts';
import { ROOT } from '../support/process.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'ponte-audit-'));
let status = 200;
const registry = createServer((request, response) => {
  const advisories = ['critical', 'high', 'moderate', 'low'].map((severity, id) => ({
    id,
    url: `https://github.com/advisories/GHSA-${severity}`,
    title: 'Carries too much',
    severity,
    vulnerable_versions: '<2.0.0',
  }));
  const body = request.url?.includes('/advisories/bulk')
    ? { carrier: advisories }
    : {
        name: 'carrier',
        'dist-tags': { latest: '1.2.3' },
        versions: { '1.2.3': { name: 'carrier', version: '1.2.3' } },
      };
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
});

beforeAll(async () => {
  const dependencies = { carrier: '1.2.3' };
  const packages = { '': { dependencies }, 'node_modules/carrier': { version: '1.2.3' } };
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name: 'wallet', dependencies }));
  writeFileSync(path.join(folder, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }));
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
});
afterEach(() => void vi.unstubAllEnvs());
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await new Promise((resolve) => registry.close(resolve));
});

function faults(): Promise<string[] | null> {
  vi.stubEnv('npm_config_registry', `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`);
  vi.stubEnv('npm_config_cache', path.join(folder, 'cache'));
  return faultsInAdvisories(folder);
}

test('vulnerabilities of high and critical severity are faults', async () => {
  expect(await faults()).toEqual([
    'carrier: critical, Carries too much, https://github.com/advisories/GHSA-critical',
    'carrier: high, Carries too much, https://github.com/advisories/GHSA-high',
  ]);
});

test('a registry that refuses the question is no answer', async () => {
  status = 405;
  expect(await faults()).toBeNull();
});

test('npm run sbom writes a CycloneDX bill of materials with hashes and licences', () => {
  execFileSync('npm', ['run', 'sbom'], { cwd: ROOT });
  const bill = JSON.parse(readFileSync(`${ROOT}/build/sbom.cdx.json`, 'utf8')) as Record<string, unknown>;
  expect(bill).toMatchObject({
    bomFormat: 'CycloneDX',
    metadata: { component: { type: 'application' } },
    components: expect.arrayContaining([
      expect.objectContaining({
        name: 'express',
        licenses: [{ license: { id: 'MIT' } }],
        hashes: [expect.objectContaining({ alg: 'SHA-512' })],
      }),
    ]),
  });
});

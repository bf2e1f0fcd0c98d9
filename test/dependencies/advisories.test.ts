// Known vulnerabilities: the real npm asks a simulated registry that knows one, refuses, or does not exist.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkAdvisories, judge } from '../../scripts/dependencies/advisories.ts';
import { projectWith } from './support.ts';

const known = {
  id: 1,
  url: 'https://github.com/advisories/GHSA-aaaa-bbbb-cccc',
  title: 'Carries too much',
  severity: 'high',
  vulnerable_versions: '<2.0.0',
};
const versions = { '1.2.3': { name: 'carrier', version: '1.2.3' } };

describe('the registry of advisories', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'ponte-audit-'));
  const project = projectWith({ folder });
  let status = 200;
  const registry = createServer((request, response) => {
    const isAdvisories = request.url?.includes('/advisories/bulk');
    const answer = isAdvisories
      ? { carrier: [known] }
      : { name: 'carrier', 'dist-tags': { latest: '1.2.3' }, versions };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });

  beforeAll(async () => {
    writeFileSync(path.join(folder, 'package.json'), JSON.stringify(project.manifest));
    writeFileSync(path.join(folder, 'package-lock.json'), JSON.stringify(project.lock));
    await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await new Promise((resolve) => registry.close(resolve));
  });

  const asked = (address?: string, env: NodeJS.ProcessEnv = { CI: 'false' }) => {
    const bound = registry.address();
    const port = typeof bound === 'object' && bound ? bound.port : 0;
    const cache = path.join(folder, 'cache');
    return checkAdvisories(project, {
      ...process.env,
      npm_config_registry: address ?? `http://127.0.0.1:${port}/`,
      npm_config_cache: cache,
      npm_config_fetch_retries: '0',
      ...env,
    });
  };

  test('the check fails if the registry knows a high advisory of a production package', async () => {
    status = 200;
    expect((await asked()).faults).toEqual([
      'carrier (production): high, Carries too much, GHSA-aaaa-bbbb-cccc',
    ]);
  });

  test('the check reports a registry that does not answer, without its address, and continues', async () => {
    status = 405;
    expect(await asked()).toMatchObject({
      said: 'NOT CHECKED: the registry does not answer this question (405)',
      faults: [],
    });
  });

  test('a registry that does not answer fails the check under CI, unless that is accepted by name', async () => {
    status = 405;
    const why = 'NOT CHECKED: the registry does not answer this question (405)';
    const fault = `${why} (ACCEPT_UNCHECKED=advisories accepts that)`;
    expect((await asked(undefined, { CI: 'true', ACCEPT_UNCHECKED: 'browser' })).faults).toEqual([fault]);
    expect((await asked(undefined, { CI: 'true', ACCEPT_UNCHECKED: 'browser, advisories' })).faults).toEqual(
      [],
    );
  });

  test('the check reports a registry that does not exist, without its address, and continues', async () => {
    expect(await asked('http://127.0.0.1:9/')).toMatchObject({
      said: 'NOT CHECKED: the registry could not be reached',
      faults: [],
    });
  });
});

const answer = (severity: string, name = 'carrier') => ({
  auditReportVersion: 2,
  vulnerabilities: {
    [name]: { name, severity, via: [{ ...known, name, severity }], nodes: [`node_modules/${name}`] },
    // npm also lists packages that depend on the vulnerable one, with the same advisory.
    other: { name: 'other', severity, via: [name], nodes: ['node_modules/other'] },
  },
});

describe('the answer about advisories', () => {
  const today = '2026-11-21';
  const exception = {
    advisory: 'GHSA-aaaa-bbbb-cccc',
    package: 'carrier',
    why: 'nothing here carries that much',
    since: '2026-11-01',
    until: '2026-12-01',
  };
  const faultsOf = (severity: string, ...exceptions: (typeof exception)[]) =>
    judge(projectWith(), answer(severity), exceptions, today).faults;

  test.each([
    ['critical', 1],
    ['high', 1],
    ['moderate', 0],
    ['low', 0],
  ])('an advisory of %s severity is reported as %d faults', (severity, faults) =>
    expect(faultsOf(severity)).toHaveLength(faults),
  );

  test('an advisory of a development package counts as well', () => {
    expect(judge(projectWith(), answer('high', 'checker'), [], today).faults).toEqual([
      'checker (development): high, Carries too much, GHSA-aaaa-bbbb-cccc',
    ]);
  });

  test('an advisory can be excepted with a reason and two dates, until the second date', () => {
    expect(faultsOf('high', exception)).toEqual([]);
    expect(faultsOf('high', { ...exception, until: today })).toEqual([]);
    expect(faultsOf('high', { ...exception, until: '2026-11-20' })).toHaveLength(2);
    expect(faultsOf('high', { ...exception, package: 'checker' })).toHaveLength(1);
    expect(faultsOf('high', { ...exception, why: ' ' })).toHaveLength(1);
    expect(faultsOf('high', { ...exception, since: 'lately' })).toHaveLength(1);
    expect(faultsOf('high', { ...exception, until: '2026-12-02' })).toEqual([
      'the exception for GHSA-aaaa-bbbb-cccc lasts longer than 30 days',
    ]);
    expect(faultsOf('low', exception)).toEqual([
      'the exception for GHSA-aaaa-bbbb-cccc is not needed any more',
    ]);
  });

  test('an exception also ends if the registry does not answer', () => {
    const { faults } = judge(
      projectWith(),
      { statusCode: 503 },
      [{ ...exception, until: '2026-11-20' }],
      today,
    );
    expect(faults).toEqual(['the exception for GHSA-aaaa-bbbb-cccc ended on 2026-11-20']);
  });

  test("an error of npm that is this project's own fault is thrown", () => {
    expect(() => judge(projectWith(), { error: { code: 'ENOLOCK' } }, [], today)).toThrow('ENOLOCK');
  });
});

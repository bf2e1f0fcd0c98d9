// Packages in production: how many are installed, which Node they need, and which are distributed in generated scripts.
import { describe, expect, test } from 'vitest';
import { bundled } from '../../scripts/dependencies/bundled.ts';
import { checkEngines } from '../../scripts/dependencies/engines.ts';
import { checkFootprint } from '../../scripts/dependencies/footprint.ts';
import { checkLicences } from '../../scripts/dependencies/licences.ts';
import { licencesFor } from '../../scripts/dependencies/policy.ts';
import { packagesIn } from '../../scripts/dependencies/project.ts';
import { tidy } from '../../scripts/dependencies/tidy-lock.ts';
import { entry, projectWith } from './support.ts';

test('the footprint counts production packages, and no development packages', () => {
  expect(checkFootprint(projectWith(), 2)).toEqual({
    said: '1 packages in production, of fewer than 2',
    faults: [],
  });
});

test('the gate fails if the number of production packages reaches the limit', () => {
  expect(checkFootprint(projectWith(), 1).faults).toEqual([
    '1 packages in production: fewer than 1 are allowed',
  ]);
});

test('a production package that is also a development package, such as an optional peer, counts', () => {
  const changed = { checker: entry('checker', { devOptional: true }) };
  expect(checkFootprint(projectWith({ changed }), 2).faults).toHaveLength(1);
});

describe('the Node of a package', () => {
  const pinned = { manifest: { devDependencies: { node: '24.21.0' } } };
  const needing = (node: string) => projectWith({ ...pinned, installed: { carrier: { engines: { node } } } });

  test.each(['>=24', '^22.17 || >=24', '*'])('a package may need Node %s', (range) => {
    expect(checkEngines(needing(range)).faults).toEqual([]);
  });

  test.each(['>=25', '^22.17', 'nonsense'])(
    'a package may not need Node %s, whatever Node runs npm',
    (range) => {
      expect(checkEngines(needing(range)).faults).toEqual([
        `carrier@1.2.3 needs Node ${range}, and package.json pins 24.21.0`,
      ]);
    },
  );

  test('the lock file contains no engines, which npm would compare with another Node', () => {
    const project = projectWith({
      ...pinned,
      changed: { carrier: entry('carrier', { engines: { node: '>=24' } }) },
    });
    expect(checkEngines(project).faults).toEqual([
      'the lock file names engines of 1 packages: npm run lock:tidy',
    ]);
    const lock = tidy(project.lock);
    expect(checkEngines({ ...project, lock, packages: packagesIn(lock) }).faults).toEqual([]);
    expect(lock.packages['node_modules/carrier']).toEqual(entry('carrier'));
  });
});

describe('the packages in a generated script', () => {
  const packages = {
    'node_modules/page': entry('page', { dev: true, dependencies: { view: '^1', shared: '^2' } }),
    'node_modules/page/node_modules/shared': entry('shared', { dev: true, license: 'MPL-2.0' }),
    'node_modules/shared': entry('shared', { dev: true }),
    'node_modules/view': entry('view', { dev: true, peerDependencies: { page: '^1', absent: '*' } }),
    'node_modules/other': entry('other', { dev: true }),
  };

  test('the packages in a generated script are found as npm resolves them: the nearest one, including peers and circles', () => {
    expect([...bundled({ lockfileVersion: 3, packages }, ['node_modules/page'])].toSorted()).toEqual([
      'node_modules/page',
      'node_modules/page/node_modules/shared',
      'node_modules/view',
    ]);
  });

  test('the packages in a generated script keep the rules of production, though only development installs them', () => {
    const changed = {
      '@scalar/api-reference': entry('page', { dev: true, dependencies: { view: '^1' } }),
      view: entry('view', { dev: true, license: 'MPL-2.0' }),
    };
    const policy = { for: licencesFor, exceptions: {} };
    expect(checkLicences(projectWith({ changed }), policy).faults).toEqual([
      'view@1.2.3: MPL-2.0 is not on the list for production',
    ]);
  });
});

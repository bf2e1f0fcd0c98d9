// Only declared scripts run during installation.
import { expect, test } from 'vitest';
import { checkInstallScripts } from '../../scripts/dependencies/install-scripts.ts';
import { entry, projectWith } from './support.ts';

const scripted = entry('carrier', { hasInstallScript: true });
const rule = { runs: false, why: 'works without' };

type Asked = Parameters<typeof projectWith>[0];
const faultsOf = (asked: Asked, rules = {}) => checkInstallScripts(projectWith(asked), rules).faults;

test('the check accepts a project without install scripts, and scripts declared alike in both places', () => {
  expect(faultsOf({})).toEqual([]);
  const manifest = { allowScripts: { carrier: false } };
  expect(faultsOf({ changed: { carrier: scripted }, manifest }, { carrier: rule })).toEqual([]);
});

test.each<[string, Asked, Record<string, typeof rule>, string]>([
  ['a new script', { changed: { carrier: scripted } }, {}, 'is not declared'],
  [
    'a script that the lock file does not mention',
    { installed: { carrier: { scripts: { postinstall: 'node steal.js' } } } },
    {},
    'is not declared',
  ],
  [
    'a script that npm is not told of',
    { changed: { carrier: scripted } },
    { carrier: rule },
    'must have "carrier": false',
  ],
  [
    'a script that npm is told to run',
    { changed: { carrier: scripted }, manifest: { allowScripts: { carrier: true } } },
    { carrier: rule },
    'must have "carrier": false',
  ],
  [
    'a script without a reason',
    { changed: { carrier: scripted }, manifest: { allowScripts: { carrier: false } } },
    { carrier: { ...rule, why: '' } },
    'without a reason',
  ],
  [
    'a script that does not exist any more',
    { manifest: { allowScripts: { carrier: false } } },
    { carrier: rule },
    '(any more)',
  ],
  ['a script that only npm is told of', { manifest: { allowScripts: { courier: true } } }, {}, 'has courier'],
])('the check of install scripts finds %s', (_, asked, rules, fault) => {
  expect(faultsOf(asked, rules)).toEqual([expect.stringContaining(fault)]);
});

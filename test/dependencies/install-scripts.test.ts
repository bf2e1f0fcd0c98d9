// Nothing runs at installation that was not thought about.
import { expect, it } from 'vitest';
import { checkInstallScripts } from '../../scripts/dependencies/install-scripts.ts';
import { entry, projectWith } from './support.ts';

const scripted = entry('carrier', { hasInstallScript: true });
const rule = { runs: false, why: 'works without' };

type Asked = Parameters<typeof projectWith>[0];
const faultsOf = (asked: Asked, rules = {}) => checkInstallScripts(projectWith(asked), rules).faults;

it('is fine without any, and with those that are declared alike in both places', () => {
  expect(faultsOf({})).toEqual([]);
  const manifest = { allowScripts: { carrier: false } };
  expect(faultsOf({ changed: { carrier: scripted }, manifest }, { carrier: rule })).toEqual([]);
});

it.each<[string, Asked, Record<string, typeof rule>, string]>([
  ['a new one', { changed: { carrier: scripted } }, {}, 'is not declared'],
  [
    'one that the lock file does not tell of',
    { installed: { carrier: { scripts: { postinstall: 'node steal.js' } } } },
    {},
    'is not declared',
  ],
  [
    'one that npm is not told of',
    { changed: { carrier: scripted } },
    { carrier: rule },
    'must have "carrier": false',
  ],
  [
    'one that npm is told to run',
    { changed: { carrier: scripted }, manifest: { allowScripts: { carrier: true } } },
    { carrier: rule },
    'must have "carrier": false',
  ],
  [
    'one without a reason',
    { changed: { carrier: scripted }, manifest: { allowScripts: { carrier: false } } },
    { carrier: { ...rule, why: '' } },
    'without a reason',
  ],
  ['one that is gone', { manifest: { allowScripts: { carrier: false } } }, { carrier: rule }, '(any more)'],
  ['one that only npm is told of', { manifest: { allowScripts: { courier: true } } }, {}, 'has courier'],
])('finds %s', (_, asked, rules, fault) => {
  expect(faultsOf(asked, rules)).toEqual([expect.stringContaining(fault)]);
});

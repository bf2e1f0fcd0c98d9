// Licence expressions, and which packages they allow.
import { describe, expect, test } from 'vitest';
import { checkLicences } from '../../scripts/dependencies/licences.ts';
import { isAllowed, parseLicence, writeLicence } from '../../scripts/dependencies/spdx.ts';
import { entry, projectWith } from './support.ts';

test.each([
  ['MIT', 'MIT'],
  ['(MIT)', 'MIT'],
  ['MIT or MPL-2.0', 'MIT OR MPL-2.0'],
  ['MIT And ISC', 'MIT AND ISC'],
  ['MIT OR ISC OR 0BSD', 'MIT OR ISC OR 0BSD'],
  ['MIT OR ISC AND 0BSD', 'MIT OR (ISC AND 0BSD)'],
  ['(MIT OR ISC) AND 0BSD', '(MIT OR ISC) AND 0BSD'],
  ['Apache-2.0 WITH LLVM-exception', 'Apache-2.0 WITH LLVM-exception'],
  ['GPL-2.0+', 'GPL-2.0+'],
  ['LicenseRef-own', 'LicenseRef-own'],
])('the licence expression %s is read as %s', (text, written) => {
  const expression = parseLicence(text);
  expect(expression && writeLicence(expression)).toBe(written);
});

test.each([
  '',
  ' ',
  'SEE LICENSE IN LICENSE.md',
  'MIT License',
  'MIT/X11',
  'MIT, ISC',
  '(MIT OR ISC',
  'MIT)',
  'MIT OR',
  'OR MIT',
  'MIT WITH',
  'MIT WITH own-exception',
  'BSL',
  'UNLICENSED',
  'mit',
  '()',
  'https://example.com/licence',
])('the text %j is not a licence expression', (text) => expect(parseLicence(text)).toBeNull());

test.each([
  ['MIT', true],
  ['GPL-3.0-only', false],
  ['GPL-3.0-only OR MIT', true],
  ['GPL-3.0-only AND MIT', false],
  ['MIT AND (ISC OR GPL-3.0-only)', true],
  ['MIT OR ISC AND GPL-3.0-only', true],
  ['(MIT OR ISC) AND GPL-3.0-only', false],
  // An exception makes it a different licence, and so does "or later".
  ['MIT WITH LLVM-exception', false],
  ['MIT+', false],
])('the expression %s is allowed if MIT and ISC are allowed: %s', (text, expected) => {
  const expression = parseLicence(text);
  expect(expression !== null && isAllowed(expression, ['MIT', 'ISC'])).toBe(expected);
});

describe('the licences of a project', () => {
  const policy = {
    for: { production: ['MIT', 'Apache-2.0'], development: ['MIT', 'MPL-2.0'] },
    exceptions: {},
  };
  const faultsOf = (changed: Parameters<typeof projectWith>[0], exceptions = {}) =>
    checkLicences(projectWith(changed), { ...policy, exceptions }).faults;

  test('a project passes if each licence is on its list', () => {
    expect(faultsOf({})).toEqual([]);
    expect(faultsOf({ changed: { checker: entry('checker', { dev: true, license: 'MPL-2.0' }) } })).toEqual(
      [],
    );
  });

  test.each([
    ['GPL-3.0-only', 'carrier@1.2.3: GPL-3.0-only is not on the list for production'],
    ['MPL-2.0', 'carrier@1.2.3: MPL-2.0 is not on the list for production'],
    ['UNLICENSED', 'carrier@1.2.3: "UNLICENSED" is no licence expression'],
    ['SEE LICENSE IN LICENSE', 'carrier@1.2.3: "SEE LICENSE IN LICENSE" is no licence expression'],
    [undefined, 'carrier@1.2.3 declares no licence'],
    [{ type: 'BSL' }, 'carrier@1.2.3: "BSL" is no licence expression'],
  ])('a production package with the licence %j is refused', (license, fault) => {
    expect(faultsOf({ changed: { carrier: entry('carrier', { license }) } })).toEqual([fault]);
  });

  test('licences are read from the installed packages, in every form that was ever used', () => {
    const changed = { carrier: entry('carrier', { license: undefined }) };
    const under = (licenses: unknown) => faultsOf({ changed, installed: { carrier: { licenses } } });
    expect(under([{ type: 'MIT', url: 'https://example.com' }])).toEqual([]);
    expect(under(['GPL-3.0-only', 'MIT'])).toEqual([]);
    expect(under([{ type: 'GPL-3.0-only' }])).toHaveLength(1);
    expect(under([])).toEqual(['carrier@1.2.3 declares no licence']);
  });

  test('licences that differ between the package and the lock file must both be allowed', () => {
    expect(faultsOf({ installed: { carrier: { license: 'AGPL-3.0-only' } } })).toEqual([
      'carrier@1.2.3: AGPL-3.0-only is not on the list for production',
    ]);
  });

  test('an exception with a reason names a licence, for as long as the exception is needed', () => {
    const changed = { carrier: entry('carrier', { license: undefined }) };
    const exception = { licence: 'MIT', why: 'the file says so' };
    expect(faultsOf({ changed }, { 'carrier@1.2.3': exception })).toEqual([]);
    expect(faultsOf({ changed }, { 'carrier@1.2.3': { ...exception, why: ' ' } })).toHaveLength(1);
    expect(faultsOf({ changed }, { 'carrier@1.2.3': { ...exception, licence: 'GPL-2.0' } })).toHaveLength(1);
    expect(faultsOf({}, { 'carrier@1.2.2': exception })).toEqual([
      'the exception for carrier@1.2.2 is not needed any more',
    ]);
  });
});

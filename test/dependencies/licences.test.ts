// Licence expressions, and which packages they allow.
import { expect, test } from 'vitest';
import { faultsInLicences, isAllowed } from '../../scripts/dependencies/licences.ts';

test.each([
  ['MIT', true],
  ['(MIT)', true],
  ['GPL-3.0-only', false],
  ['GPL-3.0-only OR MIT', true],
  ['GPL-3.0-only AND MIT', false],
  ['MIT OR ISC AND GPL-3.0-only', true],
  ['(MIT OR ISC) AND GPL-3.0-only', false],
  // An exception makes it a different licence, and so does "or later".
  ['MIT WITH LLVM-exception', false],
  ['MIT+', false],
  ['SEE LICENSE IN LICENSE.md', false],
  ['UNLICENSED', false],
  ['', false],
])('the expression %s is allowed if MIT and ISC are allowed: %s', (text, expected) => {
  expect(isAllowed(text, ['MIT', 'ISC'])).toBe(expected);
});

const faultsOf = (declared: { license?: unknown; licenses?: unknown }, distributed: string[] = ['here']) =>
  faultsInLicences(
    [{ name: 'carrier', version: '1.2.3', location: 'here', ...declared }],
    new Set(distributed),
  );

test('a licence that is only for tools is refused for a package that is distributed', () => {
  expect(faultsOf({ license: 'MPL-2.0' }, [])).toEqual([]);
  expect(faultsOf({ license: 'MPL-2.0' })).toEqual([
    'carrier@1.2.3: the licence MPL-2.0 is not on the list for what is distributed',
  ]);
});

test('licences are read in every form that was ever used', () => {
  expect(faultsOf({ license: { type: 'MIT' } })).toEqual([]);
  expect(faultsOf({ licenses: [{ type: 'MIT', url: 'https://example.com' }] })).toEqual([]);
  expect(faultsOf({ licenses: ['GPL-3.0-only', 'MIT'] })).toEqual([]);
  expect(faultsOf({ licenses: [{ type: 'GPL-3.0-only' }] })).toHaveLength(1);
  expect(faultsOf({ licenses: [] })).toEqual([
    'carrier@1.2.3: the licence none is not on the list for what is distributed',
  ]);
});

// The promise of the contract: the comparison judges changes that are planted in the released document, and a breaking change must
// be announced.
import { expect, test } from 'vitest';
import { compareContracts } from '../../scripts/contract/compare.ts';
import type { Contract } from '../../scripts/contract/document.ts';
import { brokenPromises } from '../../scripts/contract/promise.ts';
import { editedReleases } from '../../scripts/contract/releases.ts';
import { breaking, compatible } from './edits/judged.ts';
import { changed, operation, released } from './edits/planted.ts';
import { unjudged } from './edits/unjudged.ts';

const lines = (change: (document: Contract) => void) =>
  compareContracts(released, changed(change)).map(
    ({ where, what, isBreaking }) => `${isBreaking ? 'breaks' : 'allows'} ${where}: ${what}`,
  );

test('the comparison finds nothing between a document and itself, or with other descriptions', () => {
  expect(compareContracts(released, released)).toEqual([]);
  const reworded = JSON.parse(
    JSON.stringify(released).replaceAll('"description":"', '"description":"Well: '),
  );
  expect(compareContracts(released, reworded as Contract)).toEqual([]);
});

test.each(breaking)('the comparison finds a breaking change: %s', (_title, change, found) => {
  expect(lines(change)).toContain(`breaks ${found}`);
});

test.each(unjudged)(
  'the comparison treats a change that no rule allows as breaking: %s',
  (_title, change, found) => {
    expect(lines(change)).toContain(`breaks ${found}`);
  },
);

test('the comparison ignores texts that only people read', () => {
  const marked = structuredClone(released);
  Object.assign(operation(marked, 'get', '/me'), { deprecated: true, summary: 'Well' });
  expect(compareContracts(released, marked)).toEqual([]);
});

test.each(compatible)('the comparison finds a compatible change: %s', (_title, change, found) => {
  expect(lines(change)).toContain(`allows ${found}`);
  expect(lines(change).filter((line) => line.startsWith('breaks'))).toEqual([]);
});

const changelog = (heading: string, text: string) =>
  `# Changelog\n\n## [${heading}]\n\n### Removed\n\n${text}`;

const grown = (document: Contract) => Object.assign(document.paths, { '/rates': { get: {} } });

test('a changed contract is not released under the former version', () => {
  const faults = brokenPromises(
    [released],
    changed(grown),
    changelog(released.info.version, '- Something.\n'),
  );
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain('a changed contract needs a version of its own');
});

test('a changed contract keeps the former version while the changelog has unreleased changes', () => {
  expect(brokenPromises([released], changed(grown), changelog('Unreleased', '- Rates.\n'))).toEqual([]);
});

test('a changed contract does not replace a released document', () => {
  expect(editedReleases()).toEqual([]);
  const edited = editedReleases(() => JSON.stringify(changed(grown)));
  expect(edited.at(-1)).toContain(`openapi/released/${released.info.version}.json was edited`);
});

const removal = (document: Contract) => delete document.paths['/withdraws']?.['get'];
const entry = '- **Breaking**: `GET /withdraws` is gone; use\n  `GET /transactions`.\n';

test('a breaking change that the changelog does not announce is refused by name', () => {
  const faults = brokenPromises([released], changed(removal), changelog('Unreleased', '- Something.\n'));
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain('GET /withdraws: the operation was removed');
});

test('a breaking change needs its own entry in the changelog', () => {
  const other = changelog(
    'Unreleased',
    '- **Breaking**: `GET /me` is gone.\n- `GET /withdraws` is faster.\n',
  );
  expect(brokenPromises([released], changed(removal), other)).toHaveLength(1);
});

test('a breaking change that the changelog announces as breaking is accepted', () => {
  expect(brokenPromises([released], changed(removal), changelog('Unreleased', entry))).toEqual([]);
});

test.each([
  ['0.2.0', '0.2.1', false],
  ['0.2.0', '0.3.0', true],
  ['0.2.0', '1.0.0', true],
  ['1.2.0', '1.3.0', false],
  ['1.2.0', '2.0.0', true],
])('a breaking change from %s may be released as %s: %s', (before, after, isAllowed) => {
  const former = changed(() => undefined, before);
  const next = changed(removal, after);
  const faults = brokenPromises([former, next], next, changelog(after, entry));
  expect(faults.length === 0).toBe(isAllowed);
});

test('every release needs its own document for the comparison', () => {
  const next = changed(() => undefined, '0.9.0');
  expect(brokenPromises([released], next, '')[0]).toContain('openapi/released/0.9.0.json is missing');
});

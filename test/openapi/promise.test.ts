// The contract as a promise: planted changes of the released document are told apart, and a breaking one must be announced.
import { describe, expect, test } from 'vitest';
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

describe('the comparison', () => {
  test('finds nothing between a document and itself, nor in other descriptions', () => {
    expect(compareContracts(released, released)).toEqual([]);
    const reworded = JSON.parse(
      JSON.stringify(released).replaceAll('"description":"', '"description":"Well: '),
    );
    expect(compareContracts(released, reworded as Contract)).toEqual([]);
  });

  test.each(breaking)('takes for breaking: %s', (_title, change, found) => {
    expect(lines(change)).toContain(`breaks ${found}`);
  });

  test.each(unjudged)('takes for breaking what no rule allows: %s', (_title, change, found) => {
    expect(lines(change)).toContain(`breaks ${found}`);
  });

  test('lets through what only people read', () => {
    const marked = structuredClone(released);
    Object.assign(operation(marked, 'get', '/me'), { deprecated: true, summary: 'Well' });
    expect(compareContracts(released, marked)).toEqual([]);
  });

  test.each(compatible)('lets through: %s', (_title, change, found) => {
    expect(lines(change)).toContain(`allows ${found}`);
    expect(lines(change).filter((line) => line.startsWith('breaks'))).toEqual([]);
  });
});

const changelog = (heading: string, text: string) =>
  `# Changelog\n\n## [${heading}]\n\n### Removed\n\n${text}`;

const grown = (document: Contract) => Object.assign(document.paths, { '/rates': { get: {} } });

describe('a changed contract', () => {
  test('is not released under the former version', () => {
    const faults = brokenPromises(
      [released],
      changed(grown),
      changelog(released.info.version, '- Something.\n'),
    );
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain('a changed contract needs a version of its own');
  });

  test('waits under the former version while the changelog has something unreleased', () => {
    expect(brokenPromises([released], changed(grown), changelog('Unreleased', '- Rates.\n'))).toEqual([]);
  });

  test('does not replace a document that was released', () => {
    expect(editedReleases()).toEqual([]);
    const edited = editedReleases(() => JSON.stringify(changed(grown)));
    expect(edited[0]).toContain(`openapi/released/${released.info.version}.json was edited`);
  });
});

const removal = (document: Contract) => delete document.paths['/withdraws']?.['get'];
const entry = '- **Breaking**: `GET /withdraws` is gone; use\n  `GET /transactions`.\n';
describe('a breaking change', () => {
  test('is refused by name where the changelog does not announce it', () => {
    const faults = brokenPromises([released], changed(removal), changelog('Unreleased', '- Something.\n'));
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain('GET /withdraws: the operation was removed');
  });

  test('needs an entry of its own: that of another change does not count', () => {
    const other = changelog(
      'Unreleased',
      '- **Breaking**: `GET /me` is gone.\n- `GET /withdraws` is faster.\n',
    );
    expect(brokenPromises([released], changed(removal), other)).toHaveLength(1);
  });

  test('is accepted where the changelog announces it as breaking', () => {
    expect(brokenPromises([released], changed(removal), changelog('Unreleased', entry))).toEqual([]);
  });

  test.each([
    ['0.2.0', '0.2.1', false],
    ['0.2.0', '0.3.0', true],
    ['0.2.0', '1.0.0', true],
    ['1.2.0', '1.3.0', false],
    ['1.2.0', '2.0.0', true],
  ])('from %s may be released as %s: %s', (before, after, isAllowed) => {
    const former = changed(() => undefined, before);
    const next = changed(removal, after);
    const faults = brokenPromises([former, next], next, changelog(after, entry));
    expect(faults.length === 0).toBe(isAllowed);
  });

  test('is compared with a document that every release keeps', () => {
    const next = changed(() => undefined, '0.9.0');
    expect(brokenPromises([released], next, '')[0]).toContain('openapi/released/0.9.0.json is missing');
  });
});

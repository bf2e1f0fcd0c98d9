// docs/architecture.md lists the rooms of test/structure.test.ts, every invariant of the auditor, and files that exist.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { sourcesIn } from '../support/sources.ts';
import { documentText, inProject, linksIn, rowsIn, sectionOf } from './markdown.ts';

const text = documentText('docs/architecture.md');
const invariants = rowsIn(sectionOf(text, '## The invariants'));

/** The file that a cell links to, as a path from the project's root. */
const fileIn = (cell = ''): string => path.posix.join('docs', linksIn(cell)[0] ?? 'no link');

describe('the rooms', () => {
  test('the page lists the rooms of the structure test, in its order', () => {
    const listed = rowsIn(sectionOf(text, '## The rooms')).map(([room = '']) => room.replaceAll('`', ''));
    expect(listed).toEqual(roomsOfStructure());
    expect(listed.length).toBeGreaterThan(20);
  });
});

describe('the invariants', () => {
  test('the invariants are numbered without a gap', () => {
    expect(invariants.map(([number]) => Number(number))).toEqual(invariants.map((_row, index) => index + 1));
  });

  test('each invariant names a test', () => {
    for (const [, , shownBy] of invariants) expect(fileIn(shownBy)).toMatch(/^test\/.+\.test\.ts$/);
  });

  test('the page lists every invariant that the auditor checks, once', () => {
    const checks = invariants.filter((row) => row.length === 4).map(([, , , check]) => fileIn(check));
    const index = sourcesIn('proof/audit/invariants').find(({ file }) => file.endsWith('/index.ts'));
    const checked = (index?.imports ?? [])
      .map(({ from }) => from)
      .filter((from) => from.startsWith('proof/audit/invariants/'));
    expect(checks.toSorted()).toEqual(checked.toSorted());
    expect(checked.length).toBeGreaterThan(20);
  });
});

test('files answer the ten questions', () => {
  const answers = rowsIn(sectionOf(text, '## Ten questions of a newcomer'));
  expect(answers).toHaveLength(10);
  for (const [, answer] of answers) expect(answer).toMatch(/`[\w/-]+\.[\w.-]+`/);
});

test('every file and folder that the page names exists', () => {
  const named = [...text.matchAll(/`(?<name>(?:[\w.-]+\/)+(?:[\w.-]+)?)`/g)].map(
    ({ groups = {} }) => groups['name'] ?? '',
  );
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((name) => !exists(name))).toEqual([]);
});

/** Returns whether a file or folder exists. The table of rooms names folders of `src/`. */
const exists = (name: string): boolean => existsSync(inProject(name)) || existsSync(inProject(`src/${name}`));

function roomsOfStructure(): string[] {
  const [, list = ''] =
    /^const rooms = \[\n([\s\S]*?)^\];/m.exec(documentText('test/structure.test.ts')) ?? [];
  return [...list.matchAll(/^ {2}'(?<room>[^']+)',/gm)].map(({ groups = {} }) => groups['room'] ?? '');
}

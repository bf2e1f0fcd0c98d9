// docs/architecture.md keeps its word: it lists the rooms that test/structure.test.ts holds, every invariant of the auditor,
// and files that exist.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { sourcesIn } from '../support/sources.ts';
import { documentText, inProject, referencesIn, rowsIn, sectionOf } from './markdown.ts';

const text = documentText('docs/architecture.md');
const references = referencesIn(text);
const invariants = rowsIn(sectionOf(text, '## The invariants'));

/** The file behind `[shown][name]`, as a path from the project's root. */
const fileIn = (cell = ''): string => {
  const { name = '' } = /\]\[(?<name>[^\]]+)\]/.exec(cell)?.groups ?? {};
  return path.posix.join('docs', references.get(name) ?? 'no such reference');
};

describe('the rooms', () => {
  it('are those of the structure, in its order', () => {
    const listed = rowsIn(sectionOf(text, '## The rooms')).map(([room = '']) => room.replaceAll('`', ''));
    expect(listed).toEqual(roomsOfStructure());
    expect(listed.length).toBeGreaterThan(20);
  });
});

describe('the invariants', () => {
  it('are numbered without a gap', () => {
    expect(invariants.map(([number]) => Number(number))).toEqual(invariants.map((_row, index) => index + 1));
  });

  it('name a test each', () => {
    for (const [, , shownBy] of invariants) expect(fileIn(shownBy)).toMatch(/^test\/.+\.test\.ts$/);
  });

  it('are all that the auditor checks, each once', () => {
    const checks = invariants.filter((row) => row.length === 4).map(([, , , check]) => fileIn(check));
    const index = sourcesIn('proof/audit/invariants').find(({ file }) => file.endsWith('/index.ts'));
    const checked = (index?.imports ?? [])
      .map(({ from }) => from)
      .filter((from) => from.startsWith('proof/audit/invariants/'));
    expect(checks.toSorted()).toEqual(checked.toSorted());
    expect(checked.length).toBeGreaterThan(20);
  });
});

it('every reference is used, and every one that is used is there', () => {
  const used = [...text.matchAll(/\]\[(?<name>[^\]]+)\]/g)].map(({ groups = {} }) => groups['name'] ?? '');
  expect([...new Set(used)].toSorted()).toEqual([...references.keys()].toSorted());
});

it('the ten questions are answered by files', () => {
  const answers = rowsIn(sectionOf(text, '## Ten questions of a newcomer'));
  expect(answers).toHaveLength(10);
  for (const [, answer] of answers) expect(answer).toMatch(/`[\w/-]+\.[\w.-]+`/);
});

it('every file and folder that it names exists', () => {
  const named = [...text.matchAll(/`(?<name>(?:[\w.-]+\/)+(?:[\w.-]+)?)`/g)].map(
    ({ groups = {} }) => groups['name'] ?? '',
  );
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((name) => !existsSync(inProject(name)))).toEqual([]);
});

/** As they stand there: the lines of the list, without their comments. */
function roomsOfStructure(): string[] {
  const [, list = ''] =
    /^const rooms = \[\n([\s\S]*?)^\];/m.exec(documentText('test/structure.test.ts')) ?? [];
  return [...list.matchAll(/^ {2}'(?<room>[^']+)',/gm)].map(({ groups = {} }) => groups['room'] ?? '');
}

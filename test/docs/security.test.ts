// docs/security.md keeps its word: every requirement of the standard is there once, every test that it names exists.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { level1, level2 } from './asvs.ts';

const root = path.resolve(import.meta.dirname, '../..');
const text = readFileSync(path.join(root, 'docs/security.md'), 'utf8');

/** `[name]: ../test/name.test.ts`, at the end of the page. */
const files = new Map(
  [...text.matchAll(/^\[(?<name>[^\]]+)\]: (?<file>\S+)$/gm)].map(({ groups = {} }) => [
    groups['name'] ?? '',
    groups['file'] ?? '',
  ]),
);
/** `[name]`, or `[name] "one title", "another"`. */
const testsIn = (part: string): { name: string; title: string | undefined }[] =>
  [...part.matchAll(/\[(?<name>[a-z][\w/-]*)\](?![(:])(?<titles>(?:,? "[^"]+")*)/g)].flatMap(
    ({ groups: { name = '', titles = '' } = {} }) => {
      const each = [...titles.matchAll(/"([^"]+)"/g)].map(([, title]) => ({ name, title }));
      return each.length > 0 ? each : [{ name, title: undefined }];
    },
  );
const [before = '', standard = ''] = text.split('## OWASP ASVS 5.0');

const cellsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
const rows = standard
  .split('\n')
  .filter((line) => /^\| \d/.test(line))
  .map(cellsOf);
const answered = rows
  .filter((cells) => cells.length === 5)
  .map(([id = '', level = '', asked = '', verdict = '', answer = '']) => ({
    id,
    level,
    asked,
    verdict,
    answer,
  }));
const notApplicable = rows.filter((cells) => cells.length === 2).flatMap(([ids = '']) => ids.split(', '));

/** What each verdict has to give: tests, a place where it is written, or a reason. */
const isAnswered: Record<string, (answer: string) => boolean> = {
  holds: (answer) => testsIn(answer).length > 0,
  written: (answer) => /\]\((#|\.\.\/|runbook\.md#)/.test(answer),
  outside: (answer) => answer.length > 5,
  no: (answer) => answer.length > 5,
};

describe('the standard', () => {
  const all = [...answered.map(({ id }) => id), ...notApplicable];

  it('is there whole: each number once, and no other', () => {
    expect(rows.filter(({ length }) => length !== 5 && length !== 2)).toEqual([]);
    for (const id of all) expect(id).toMatch(/^\d{1,2}\.\d{1,2}\.\d{1,2}$/);
    expect(all.toSorted()).toEqual([...level1, ...level2].toSorted());
  });

  it('has its levels', () => {
    const wrong = answered.filter(({ id, level }) => level !== (level1.has(id) ? '1' : '2'));
    expect(wrong).toEqual([]);
  });

  it.each(answered)('$id $asked: $verdict', ({ asked, verdict, answer }) => {
    expect(asked).not.toBe('');
    expect(Object.keys(isAnswered)).toContain(verdict);
    expect(isAnswered[verdict]?.(answer)).toBe(true);
  });
});

describe('the tests', () => {
  const named = testsIn(text);

  it('are all files that exist, under their own names', () => {
    expect(files.size).toBeGreaterThan(50);
    for (const [name, file] of files) {
      expect(file).toBe(`../test/${name}.test.ts`);
      expect([name, existsSync(path.join(root, 'docs', file))]).toEqual([name, true]);
    }
    expect([...new Set(named.map(({ name }) => name))].toSorted()).toEqual([...files.keys()].toSorted());
  });

  const titled = named.filter(({ title }) => title !== undefined);
  it.each(titled)('$name: $title', ({ name, title = '' }) => {
    const source = readFileSync(path.join(root, 'test', `${name}.test.ts`), 'utf8');
    expect(source.includes(`'${title}'`) || source.includes(`"${title}"`)).toBe(true);
  });

  it('are named for every threat, right and risk', () => {
    const tables = before.split('\n\n').filter((part) => /^\|.*\| Shown by +\|$/m.test(part));
    const unshown = tables
      .flatMap((table) =>
        table
          .split('\n')
          .filter((line) => line.startsWith('|'))
          .slice(2),
      )
      .filter((line) => testsIn(line).length === 0);
    expect(tables.length).toBeGreaterThan(5);
    expect(unshown).toEqual([]);
  });
});

/** As a reader of the page jumps to its headings. */
const anchorsOf = (page: string): Set<string> =>
  new Set(
    [...page.matchAll(/^#+ (?<title>.+)$/gm)].map(({ groups = {} }) =>
      (groups['title'] ?? '')
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    ),
  );

it('its other links lead somewhere', () => {
  const anchorsIn = (file: string): Set<string> =>
    anchorsOf(file === '' ? text : readFileSync(path.join(root, 'docs', file), 'utf8'));
  const links = [...text.matchAll(/\]\((?<file>[^)#:]*)(?:#(?<anchor>[^)]+))?\)/g)];
  expect(links.length).toBeGreaterThan(30);
  const dead = links.filter(({ groups = {} }) => {
    const { file = '', anchor } = groups;
    const isThere = existsSync(path.join(root, 'docs', file));
    return !isThere || (anchor !== undefined && !anchorsIn(file).has(anchor));
  });
  expect(dead.map(([link]) => link)).toEqual([]);
});

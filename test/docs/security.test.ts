// Every threat and right of docs/security.md names a test, and every file that the page links to exists.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { documentText, inProject, linksIn } from './markdown.ts';

const text = documentText('docs/security.md');

/** `[name](../test/name.test.ts)`. */
const testsIn = (part: string): { name: string; file: string }[] =>
  [...part.matchAll(/\[(?<name>[\w/-]+)\]\((?<file>\.\.\/test\/[^)]+)\)/g)].map(({ groups = {} }) => ({
    name: groups['name'] ?? '',
    file: groups['file'] ?? '',
  }));

test('the page links to tests that exist, under their own names', () => {
  const tests = testsIn(text);
  expect(tests.length).toBeGreaterThan(50);
  for (const { name, file } of tests) {
    expect(file).toBe(`../test/${name}.test.ts`);
    expect([name, existsSync(inProject(path.posix.join('docs', file)))]).toEqual([name, true]);
  }
});

test('each threat and right names a test', () => {
  const tables = text.split('\n\n').filter((part) => /^\|.*\| Shown by +\|$/m.test(part));
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

test('the page links to the runbook for each procedure that an operator needs', () => {
  const procedures = linksIn(text).filter((link) => link.startsWith('runbook.md#'));
  expect(new Set(procedures).size).toBeGreaterThanOrEqual(5);
});

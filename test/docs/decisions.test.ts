// docs/decisions/: every page is in the list under its number, and has the parts of a decision.
import { globSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { documentText, inProject, linksIn, rowsIn } from './markdown.ts';

const pages = globSync('0*.md', { cwd: inProject('docs/decisions') }).toSorted();

test('decisions are listed in the order of their numbers, without a gap', () => {
  const index = documentText('docs/decisions/README.md');
  expect(linksIn(index)).toEqual(pages);
  expect(rowsIn(index).map(([number]) => number)).toEqual(
    pages.map((_page, position) => String(position + 1).padStart(4, '0')),
  );
  expect(pages.length).toBeGreaterThanOrEqual(6);
});

describe.each(pages)('%s', (page) => {
  const text = documentText(`docs/decisions/${page}`);

  test('a decision begins with its number, and has a status, a context, a decision and consequences', () => {
    expect(text).toMatch(new RegExp(`^# ${page.slice(0, 4)}: .+\n`));
    const parts = [...text.matchAll(/^## (?<part>.+)$/gm)].map(({ groups = {} }) => groups['part']);
    expect(parts).toEqual(['Status', 'Context', 'Decision', 'Consequences']);
  });
});

// Every link of a document to another file of the project, or to a heading, leads to something that exists.
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { anchorsIn, documents, documentText, inProject, linksIn } from './markdown.ts';

const isOwn = (link: string): boolean => !/^[a-z]+:/.test(link);

describe.each(documents())('%s', (document) => {
  test('a document links only to files and headings that exist', () => {
    const broken = linksIn(documentText(document))
      .filter(isOwn)
      .filter((link) => !leadsSomewhere(document, link));
    expect(broken).toEqual([]);
  });
});

test('all documents are found', () => {
  expect(documents()).toEqual(
    expect.arrayContaining(['README.md', 'docs/architecture.md', 'docs/runbook.md']),
  );
});

test.each(['docs/nowhere.md', 'docs/architecture.md#nowhere', '#nowhere'])(
  'a link to %s would be found',
  (link) => {
    expect(leadsSomewhere('README.md', link)).toBe(false);
  },
);

function leadsSomewhere(document: string, link: string): boolean {
  const [target = '', anchor] = link.split('#');
  const file = target === '' ? document : path.posix.join(path.posix.dirname(document), target);
  if (!existsSync(inProject(file))) return false;
  return anchor === undefined || (isText(file) && anchorsIn(documentText(file)).has(anchor));
}

const isText = (file: string): boolean => file.endsWith('.md') && statSync(inProject(file)).isFile();

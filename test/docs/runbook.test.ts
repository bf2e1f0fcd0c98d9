// Tests try every page of the runbook, and every command on it exists. docs/runbook-tests.csv names the tests of each page.
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { recordsOf } from '../../scripts/csv.ts';
import { effectHandlers } from '../../src/start/effect-handlers.ts';
import { commandNamed } from '../ops/support.ts';
import { anchorsIn, documentText, inProject } from './markdown.ts';

const text = documentText('docs/runbook.md');
const pages = text
  .split(/^## /m)
  .slice(1)
  .map((page) => ({ title: page.split('\n', 1)[0] ?? '', page }));
const anchorOf = (title: string): string => [...anchorsIn(`## ${title}`)][0] ?? '';

const tests = recordsOf(documentText('docs/runbook-tests.csv')).map(([page = '', file = '', title = '']) => ({
  page,
  file,
  title,
}));

/** `npm run ops -- ...` in full, or `ops ...` in a sentence. */
const called = [...text.matchAll(/(?:npm run ops -- |`ops )(?<call>[^`\n]+)/g)]
  .map(({ groups = {} }) => (groups['call'] ?? '').replace(/\s+#.*$/, '').trim())
  .filter((call) => call !== 'x');

describe.each(pages)('$title', ({ title, page }) => {
  test('the page has every part', () => {
    for (const part of ['Symptom:', 'Meaning:', 'Do:', 'Done when', 'Tests:'])
      expect(page).toContain(`**${part}`);
  });

  test('the page links to the tests that try it', () => {
    const [, list = ''] = page.split('**Tests:**');
    const linked = [...list.matchAll(/\[(?<name>[^\]]+)\]\((?<link>[^)]+)\)/g)].map(({ groups = {} }) => {
      expect(groups['link']).toBe(`../test/${groups['name']}.test.ts`);
      return `test/${groups['name']}.test.ts`;
    });
    const files = tests.filter((one) => one.page === anchorOf(title)).map(({ file }) => file);
    expect(linked.length).toBeGreaterThan(0);
    expect(linked).toEqual([...new Set(files)]);
  });
});

describe('the tests', () => {
  test.each(tests)('$page: $title', ({ page, file, title }) => {
    expect([...anchorsIn(text)]).toContain(page);
    expect([file, existsSync(inProject(file))]).toEqual([file, true]);
    expect([file, titlesIn(file)]).toEqual([file, expect.arrayContaining([title])]);
  });
});

describe('the commands', () => {
  test('the runbook has more than 30 commands and 15 pages', () => {
    expect(called.length).toBeGreaterThan(30);
    expect(pages.length).toBeGreaterThan(15);
  });

  test.each([...new Set(called)])('%s', async (call) => {
    const name = await commandNamed(wordsOf(call));
    expect([call, call.startsWith(name ?? '--help')]).toEqual([call, true]);
  });

  test('the runbook names every effect that can be paused', () => {
    for (const type of Object.keys(effectHandlers)) expect(text).toContain(`\`${type}\``);
  });
});

function titlesIn(file: string): string[] {
  const calls = documentText(file).matchAll(
    /\b(?:it|test)\(\s*(?:'(?<single>(?:[^'\\]|\\.)*)'|"(?<double>[^"]*)")/g,
  );
  return [...calls].map(({ groups = {} }) => groups['single'] ?? groups['double'] ?? '');
}

/** Splits a call as a shell would. A placeholder of an id becomes an id. */
const wordsOf = (call: string): string[] =>
  [...call.matchAll(/"(?<quoted>[^"]*)"|(?<plain>\S+)/g)].map(({ groups = {} }) => {
    const word = groups['quoted'] ?? groups['plain'] ?? '';
    return /^<.*[iI]d>$/.test(word) ? '019ab5e2-7c1f-7d3a-9c55-0a1b2c3d4e5f' : word;
  });

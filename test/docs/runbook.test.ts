// The runbook keeps its word: every page is tried by a test that exists, and every command in it is one.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { effectHandlers } from '../../src/effects/index.ts';
import { commandNamed } from '../ops/support.ts';

const root = path.resolve(import.meta.dirname, '../..');
const text = readFileSync(path.join(root, 'docs/runbook.md'), 'utf8');
const pages = text
  .split(/^## /m)
  .slice(1)
  .map((page) => ({ title: page.split('\n', 1)[0] ?? '', page }));

const reference = /^- \[`(?<shown>[^`]+)`\]\((?<link>[^)]+)\): "(?<title>.+)"$/gm;
const testsOf = (page: string) =>
  [...page.matchAll(reference)].map(({ groups = {} }) => ({
    file: groups['shown'] ?? '',
    link: groups['link'] ?? '',
    title: groups['title'] ?? '',
  }));

const called = [...text.matchAll(/npm run ops -- (?<call>[^`\n]+)/g)].map(({ groups = {} }) =>
  (groups['call'] ?? '').replace(/\s+#.*$/, '').trim(),
);

describe.each(pages)('$title', ({ page }) => {
  it('has every part of a page', () => {
    for (const part of ['You notice:', 'For the money:', 'Do:', 'It is over when', 'Tried by:'])
      expect(page).toContain(`**${part}`);
  });

  it('is tried by tests that exist', () => {
    const tests = testsOf(page);
    expect(tests.length).toBeGreaterThan(0);
    // Nothing under this heading is written in another form, which would go unchecked.
    const [, tried = ''] = page.split('**Tried by:**');
    expect(tried.split('\n').filter((line) => line.startsWith('-'))).toHaveLength(tests.length);
    for (const { file, link, title } of tests) {
      expect(link).toBe(`../${file}`);
      expect([file, existsSync(path.join(root, file))]).toEqual([file, true]);
      expect([file, titlesIn(file)]).toEqual([file, expect.arrayContaining([title])]);
    }
  });
});

describe('the commands', () => {
  it('are found', () => {
    expect(called.length).toBeGreaterThan(30);
    expect(pages.length).toBeGreaterThan(15);
  });

  it.each([...new Set(called)])('%s', async (call) => {
    const name = await commandNamed(wordsOf(call));
    expect([call, call.startsWith(name ?? '--help')]).toEqual([call, true]);
  });

  it('name every effect that can be held back', () => {
    for (const type of Object.keys(effectHandlers)) expect(text).toContain(`\`${type}\``);
  });
});

it('its own links lead somewhere', () => {
  const anchors = new Set(
    pages.map(({ title }) =>
      title
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    ),
  );
  const links = [...text.matchAll(/\]\(#(?<anchor>[^)]+)\)/g)].map(({ groups = {} }) => groups['anchor']);
  expect(links.filter((link) => !anchors.has(link ?? ''))).toEqual([]);
  expect(links.length).toBeGreaterThan(0);
});

/** The titles of the tests in a file, as they are written there. */
function titlesIn(file: string): string[] {
  const source = readFileSync(path.join(root, file), 'utf8');
  const calls = source.matchAll(/\b(?:it|test)\(\s*(?:'(?<single>(?:[^'\\]|\\.)*)'|"(?<double>[^"]*)")/g);
  return [...calls].map(({ groups = {} }) => groups['single'] ?? groups['double'] ?? '');
}

/** As a shell would split them; what stands for an id is given one. */
const wordsOf = (call: string): string[] =>
  [...call.matchAll(/"(?<quoted>[^"]*)"|(?<plain>\S+)/g)].map(({ groups = {} }) => {
    const word = groups['quoted'] ?? groups['plain'] ?? '';
    return /^<.*[iI]d>$/.test(word) ? '019ab5e2-7c1f-7d3a-9c55-0a1b2c3d4e5f' : word;
  });

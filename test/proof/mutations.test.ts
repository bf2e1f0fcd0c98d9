// The mutations still match the source: each replaces text that exists exactly once, and names an existing test.
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { edited, readSource } from '../../proof/mutations/apply.ts';
import { mutations } from '../../proof/mutations/mutations.ts';

test('there are at least fifteen mutations, each with its own name', () => {
  expect(mutations.length).toBeGreaterThanOrEqual(15);
  expect(new Set(mutations.map(({ name }) => name)).size).toBe(mutations.length);
});

test.each(mutations)('the mutation still fits the source, and names an existing test: $name', (bug) => {
  const files = edited(bug, readSource);
  for (const [file, text] of files) expect(text).not.toBe(readFileSync(file, 'utf8'));
  const { file, titles } = bug.caughtBy;
  expect(existsSync(file)).toBe(true);
  // The tests of the machines are made from the tables of test/machines/decisions.ts.
  const tests = [file, 'test/machines/decisions.ts'].map((one) => readFileSync(one, 'utf8')).join('\n');
  expect(titles.filter((title) => !isTitleIn(tests, title))).toEqual([]);
});

/** Whether a test has the title: it is part of a title, or a title with placeholders has a fixed part that is in it. */
const isTitleIn = (tests: string, title: string): boolean =>
  [...tests.matchAll(/(['`"])((?:\\.|(?!\1).)+)\1/g)]
    .map(([, , literal = '']) => literal.replaceAll(`\\'`, `'`))
    .some((literal) => {
      const [first = '', ...others] = literal.split(/%\w|\$\w+|\$\{[^}]*\}/);
      if (others.length === 0) return literal.includes(title);
      return [first, ...others].some((part) => part.trim() !== '' && title.includes(part.trim()));
    });

test.each([
  [`it('a payment is made', () => {`, 'a payment is', true],
  [`it.each(table)('another %s than asked', (kind) => {`, 'another owner than', true],
  [`it.each(table)('another $kind than asked', ({ kind }) => {`, 'another owner than', true],
  [`it('a payment is made', () => {`, 'a payment was', false],
])('the test of titles finds in %s the title "%s": %j', (tests, title, isThere) => {
  expect(isTitleIn(tests, title)).toBe(isThere);
});

test('a mutation cannot be made if its words are missing or occur twice', () => {
  const [bug] = mutations;
  if (!bug) throw new Error('no bug');
  const [edit] = bug.edits;
  expect(() => edited(bug, () => 'something else')).toThrow('0 times');
  expect(() => edited(bug, () => `${edit?.find} ${edit?.find}`)).toThrow('2 times');
});

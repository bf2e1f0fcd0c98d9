// The mutations still fit the source: each replaces text that exists exactly once, and names an existing test.
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { edited, readSource } from '../../proof/mutations/apply.ts';
import { mutations } from '../../proof/mutations/mutations.ts';

it('are at least fifteen, each with a name of its own', () => {
  expect(mutations.length).toBeGreaterThanOrEqual(15);
  expect(new Set(mutations.map(({ name }) => name)).size).toBe(mutations.length);
});

it.each(mutations)('$name', (bug) => {
  const files = edited(bug, readSource);
  for (const [file, text] of files) expect(text).not.toBe(readFileSync(file, 'utf8'));
  const { file, titles } = bug.caughtBy;
  expect(existsSync(file)).toBe(true);
  // Those of the machines are made from their tables by the decisions.
  const tests = [file, 'test/machines/decisions.ts'].map((one) => readFileSync(one, 'utf8')).join('\n');
  expect(titles.filter((title) => !isTitleIn(tests, title))).toEqual([]);
});

/** It is a part of a title there; or that title has places for values, and one of its fixed parts is in this one. */
const isTitleIn = (tests: string, title: string): boolean =>
  [...tests.matchAll(/(['`"])((?:\\.|(?!\1).)+)\1/g)]
    .map(([, , literal = '']) => literal.replaceAll(`\\'`, `'`))
    .some((literal) => {
      const [first = '', ...others] = literal.split(/%\w|\$\w+|\$\{[^}]*\}/);
      if (others.length === 0) return literal.includes(title);
      return [first, ...others].some((part) => part.trim() !== '' && title.includes(part.trim()));
    });

it.each([
  [`it('a payment is made', () => {`, 'a payment is', true],
  [`it.each(table)('another %s than asked', (kind) => {`, 'another owner than', true],
  [`it.each(table)('another $kind than asked', ({ kind }) => {`, 'another owner than', true],
  [`it('a payment is made', () => {`, 'a payment was', false],
])('a title in %s, %s: %j', (tests, title, isThere) => {
  expect(isTitleIn(tests, title)).toBe(isThere);
});

it('cannot be made where the words have gone, or are there twice', () => {
  const [bug] = mutations;
  if (!bug) throw new Error('no bug');
  const [edit] = bug.edits;
  expect(() => edited(bug, () => 'something else')).toThrow('0 times');
  expect(() => edited(bug, () => `${edit?.find} ${edit?.find}`)).toThrow('2 times');
});

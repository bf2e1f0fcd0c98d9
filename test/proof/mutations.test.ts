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
  expect(existsSync(bug.caughtBy.file)).toBe(true);
});

it('cannot be made where the words have gone, or are there twice', () => {
  const [bug] = mutations;
  if (!bug) throw new Error('no bug');
  const [edit] = bug.edits;
  expect(() => edited(bug, () => 'something else')).toThrow('0 times');
  expect(() => edited(bug, () => `${edit?.find} ${edit?.find}`)).toThrow('2 times');
});

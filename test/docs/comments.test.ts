// Every file that a comment names exists, and no comment refers to a document that is not in the repository.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { inProject } from './markdown.ts';

const folders = '{bench,docs,machines,openapi,packages,phone,proof,sandbox,scripts,src,test}';
const files = ['*.*', `${folders}/**/*.*`]
  .flatMap((pattern) => globSync(pattern, { cwd: inProject('') }))
  .map((file) => file.split(path.sep).join('/'))
  .filter((file) => !file.includes('node_modules/'));
const known = new Set(files);
const sources = files.filter(
  (file) => file.endsWith('.ts') && !/\/(generated|released)\/|^test\/docs\/comments/.test(file),
);

const comment = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm;
const fileName = /(?<![\w$*{}<>/-])(?:\.{1,2}\/)?(?:[\w.-]+\/)*[\w-][\w.-]*\.(?:ts|md|json|csv|ya?ml)\b/g;

const commentsIn = (text: string): string => [...text.matchAll(comment)].map(([found]) => found).join('\n');

/** A comment may name a file by its path, by the end of its path, or relative to its own folder. */
const exists = (name: string, from: string): boolean =>
  known.has(path.posix.normalize(name)) ||
  known.has(path.posix.join(path.posix.dirname(from), name)) ||
  files.some((file) => file.endsWith(`/${name}`));

const missingIn = (file: string, text: string): string[] =>
  [...commentsIn(text).matchAll(fileName)]
    .map(([name]) => name)
    .filter((name) => !exists(name, file))
    .map((name) => `${file}: ${name}`);

/** Names of examples in comments. */
const examples = new Set(['test/docs/security.test.ts: ../test/name.test.ts']);

const read = (file: string): string => readFileSync(inProject(file), 'utf8');

test('every file that a comment names exists', () => {
  const missing = sources.flatMap((file) => missingIn(file, read(file)));
  expect(missing.filter((one) => !examples.has(one))).toEqual([]);
  expect(sources.length).toBeGreaterThan(900);
});

test('comments refer to the contract, machines, invariants and decisions, not to documents outside the repository', () => {
  const outside = /\b(?:the specification|the design document|service-specification)\b/i;
  const others = sources.filter((file) => file !== 'test/docs/comments.test.ts');
  expect(others.filter((file) => outside.test(commentsIn(read(file))))).toEqual([]);
});

test('the search for names in comments finds a file that is missing', () => {
  const text =
    '// See machines/gone.machine.ts and step.ts.\nconst named = "elsewhere/nothing.ts"; // as in ./gone.ts';
  expect(missingIn('machines/effects.ts', text)).toEqual([
    'machines/effects.ts: machines/gone.machine.ts',
    'machines/effects.ts: ./gone.ts',
  ]);
});

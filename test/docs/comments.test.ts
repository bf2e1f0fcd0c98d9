// Every file and every symbol that a comment names exists, and no comment refers to a document that is not in the repository.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { inProject } from './markdown.ts';

const folders = '{bench,docs,harness,machines,openapi,ops,packages,phone,proof,sandbox,scripts,src,test}';
const files = ['*.*', `${folders}/**/*.*`]
  .flatMap((pattern) => globSync(pattern, { cwd: inProject('') }))
  .map((file) => file.split(path.sep).join('/'))
  .filter((file) => !file.includes('node_modules/'));
const names = new Set(files);
const sources = files.filter(
  (file) => file.endsWith('.ts') && !/\/(generated|released)\/|^test\/docs\/comments/.test(file),
);

const comment = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm;
const fileName = /(?<![\w$*{}<>/-])(?:\.{1,2}\/)?(?:[\w.-]+\/)*[\w-][\w.-]*\.(?:ts|md|json|csv|ya?ml)\b/g;

const commentsIn = (text: string): string => [...text.matchAll(comment)].map(([found]) => found).join('\n');

/** A comment may name a file by its path, by the end of its path, or relative to its own folder. */
const exists = (name: string, from: string): boolean =>
  names.has(path.posix.normalize(name)) ||
  names.has(path.posix.join(path.posix.dirname(from), name)) ||
  files.some((file) => file.endsWith(`/${name}`));

const missingIn = (file: string, text: string): string[] =>
  [...commentsIn(text).matchAll(fileName)]
    .map(([name]) => name)
    .filter((name) => !exists(name, file))
    .map((name) => `${file}: ${name}`);

const examples = new Set(['test/docs/security.test.ts: ../test/name.test.ts']);

const read = (file: string): string => readFileSync(inProject(file), 'utf8');

test('every file that a comment names exists', () => {
  const missing = sources.flatMap((file) => missingIn(file, read(file)));
  expect(missing.filter((one) => !examples.has(one))).toEqual([]);
  expect(sources.length).toBeGreaterThan(900);
});

/** Names of PostgreSQL and of libraries that the code does not use, but comments explain. */
const foreign = new Set([
  'connection_failure',
  'deadlock_timeout',
  'feature_not_supported',
  'handleRequest',
  'in_failed_sql_transaction',
  'partitionBy',
  'read_only_sql_transaction',
]);

/** A word of several parts, such as `leasedBy` or `lease_token`. Single words may be values or plain English. */
const symbol = /\b[A-Za-z][a-z\d]*(?:[A-Z_]\w*)/g;

const symbolsIn = (text: string): string[] => text.match(symbol) ?? [];

const unknownSymbols = (file: string, text: string, code: ReadonlySet<string>): string[] =>
  [...commentsIn(text).matchAll(/`[^`\n]+`/g)]
    .flatMap(([quoted]) => symbolsIn(quoted))
    .filter((name) => !code.has(name) && !foreign.has(name))
    .map((name) => `${file}: ${name}`);

test('every symbol that a comment of the service names in backticks exists in the code', () => {
  const ours = /^(machines|openapi|ops|packages|src)\/.+\.(ts|yaml)$/;
  const code = new Set(
    files.filter((file) => ours.test(file)).flatMap((file) => symbolsIn(read(file).replaceAll(comment, ''))),
  );
  const service = sources.filter((file) => file.startsWith('src/'));
  expect(service.flatMap((file) => unknownSymbols(file, read(file), code))).toEqual([]);
  expect(service.length).toBeGreaterThan(200);
});

test('the search for symbols in comments finds a function that was renamed', () => {
  const text = '// `formerName` calls `presentName(id)` if a row is `queued`.\nconst presentName = 1;';
  expect(unknownSymbols('src/file.ts', text, new Set(['presentName']))).toEqual(['src/file.ts: formerName']);
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

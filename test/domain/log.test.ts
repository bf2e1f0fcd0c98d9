// Every log line has a listed code and a sentence. The type of `Log` requires this; this test also reads the sources, so that no
// line bypasses the type.
import { describe, expect, test } from 'vitest';
import { logCodes } from '../../src/domain/log.ts';
import { type Source, sourcesIn } from '../support/sources.ts';

const CALL = /\blog(?:\.(?:debug|info|warn|error|fatal|trace)|\[[^\]]+\])\(/g;

/** The arguments of each call that writes a log line, as the source contains them. */
const linesOf = ({ code }: Pick<Source, 'code'>): string[] =>
  [...code.matchAll(CALL)].map(({ index, 0: { length } }) => argumentsFrom(code.slice(index + length)));

/** Returns the arguments, up to the bracket that closes the call. */
function argumentsFrom(text: string): string {
  let depth = 1;
  for (const { 0: bracket, index } of text.matchAll(/[()[\]{}]/g)) {
    depth += '([{'.includes(bracket) ? 1 : -1;
    if (depth === 0) return text.slice(0, index);
  }
  return text;
}

const codeIn = (line: string): string | undefined => /\bcode: ['`]([^'`]+)['`]/.exec(line)?.[1];

const sources = sourcesIn('src', 'ops').filter(({ file }) => file !== 'src/domain/log.ts');
const lines = sources.flatMap((source) => linesOf(source).map((line) => ({ file: source.file, line })));

test('the log lines of the sources are found', () => {
  expect(lines.length).toBeGreaterThan(35);
  expect(new Set(lines.map(({ file }) => file))).toContain('src/api/server.ts');
});

test('every log line has a code', () => {
  expect(lines.filter(({ line }) => codeIn(line) === undefined)).toEqual([]);
});

test.each([
  [`log.warn({ error }, 'the sentence')`, undefined],
  [`log.error('the sentence')`, undefined],
  [`app.log[level]({ code: 'effect.done', at: now() }, 'the sentence')`, 'effect.done'],
])('the call %s has the code %s', (code, expected) => {
  expect(linesOf({ code }).map(codeIn)).toEqual([expected]);
});

test('only the log imports pino, and the service does not write to the console', () => {
  const writers = sources.filter(({ imports }) => imports.some(({ from }) => from === 'pino'));
  expect(writers.map(({ file }) => file)).toEqual(['src/start/log.ts']);
  const speakers = sources.filter(({ code }) => /\bconsole\.\w+\(/.test(code)).map(({ file }) => file);
  // These files may write to the console: a start that fails before there is a log, and the command lines, which people read.
  expect(
    speakers.filter(
      (file) => !/^(ops\/|src\/(start\/serve-process|tables\/schema\/(migrate|distribute-main)))/.test(file),
    ),
  ).toEqual([]);
});

describe('codes', () => {
  const codes = Object.keys(logCodes);

  test('codes are two lower-case parts, sorted, and each has a meaning', () => {
    expect(codes.filter((code) => !/^[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*$/.test(code))).toEqual([]);
    expect(codes).toEqual(codes.toSorted());
    expect(Object.values(logCodes).filter((meaning) => !/^[A-Z].+\.$/.test(meaning))).toEqual([]);
  });

  test('every code is used', () => {
    // `effect.${status}` represents every code of its form.
    const used = lines.map(({ line }) =>
      (codeIn(line) ?? '').replaceAll('.', '\\.').replaceAll(/\$\{[^}]*\}/g, '.+'),
    );
    const isUsed = (code: string) => used.some((pattern) => new RegExp(`^${pattern}$`).test(code));
    expect(codes.filter((code) => !isUsed(code))).toEqual([]);
  });
});

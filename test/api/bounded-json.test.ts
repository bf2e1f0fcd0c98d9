// JSON is scanned before it is parsed. Text that passes the scan is parsed normally. Text that is too deep or too large is
// never parsed.
import { assert, json, nat, property } from 'fast-check';
import { expect, test } from 'vitest';
import { parseBounded } from '../../src/api/bounded-json.ts';
import { Refusal } from '../../src/domain/refusals.ts';

const parse = (text: string): unknown => parseBounded(Buffer.from(text));
const refusalOf = (text: string): unknown => {
  try {
    return parse(text);
  } catch (error) {
    return error instanceof Refusal ? [error.code, ...(error.details ?? [])] : error;
  }
};
const tooDeep = [
  'invalid_request',
  { path: '/body', message: 'must not be nested more than 64 levels deep' },
];
const tooMuch = ['invalid_request', { path: '/body', message: 'must not hold more than 100000 values' }];
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

test.each([
  ['64 levels', nested(64)],
  ['64 levels many times', `[${Array.from({ length: 100 }, () => nested(63)).join(',')}]`],
  ['brackets in a text', JSON.stringify({ a: '['.repeat(100) })],
  ['brackets behind an escaped quotation mark', JSON.stringify({ a: `"${'{'.repeat(100)}` })],
  ['brackets behind escaped backslashes', JSON.stringify({ a: `\\\\"${'{'.repeat(100)}` })],
  ['brackets in a name', JSON.stringify({ ['['.repeat(100)]: 1 })],
])('JSON with %s is parsed', (_what, text) => {
  expect(parse(text)).toEqual(JSON.parse(text));
});

test.each([
  ['65 levels', nested(65)],
  ['65 levels of objects', `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`],
  ['brackets that are not closed', '['.repeat(1_000_000)],
  ['brackets behind a text that ends in a backslash', `["\\\\",${nested(64)}]`],
  ['65 levels and more closing brackets', `${nested(65)}}}}`],
])('JSON with %s is refused as too deep', (_what, text) => {
  expect(refusalOf(text)).toEqual(tooDeep);
});

/** A list with this many values, including the list itself. */
const list = (values: number): string => `[${Array.from({ length: values - 1 }, () => '1').join(',')}]`;

test('JSON with 100,000 values is parsed, and JSON with 100,002 values is refused', () => {
  expect((parse(list(100_000)) as unknown[]).length).toBe(99_999);
  expect(refusalOf(list(100_002))).toEqual(tooMuch);
});

test('empty lists count as values', () => {
  expect(refusalOf(`[${'[],'.repeat(100_000)}0]`)).toEqual(tooMuch);
});

test('commas in a text do not count as values', () => {
  expect(parse(JSON.stringify(','.repeat(200_000)))).toBe(','.repeat(200_000));
});

test('other JSON is parsed as by JSON.parse, and text that is not JSON is refused', () => {
  assert(
    property(json(), (text) => {
      expect(parse(text)).toEqual(JSON.parse(text));
    }),
  );
  assert(
    property(json(), nat(), (text, cut) => {
      const part = text.slice(0, cut % text.length);
      expect(refusalOf(part)).toEqual(
        isJson(part)
          ? JSON.parse(part)
          : ['malformed_json', { path: '/body', message: 'must be JSON in UTF-8' }],
      );
    }),
  );
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

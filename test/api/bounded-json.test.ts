// JSON is scanned before it is parsed: what passes is parsed normally, and what is too deep or too large never is.
import { assert, json, nat, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
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

describe('depth', () => {
  it.each([
    ['64 levels', nested(64)],
    ['64 levels many times', `[${Array.from({ length: 100 }, () => nested(63)).join(',')}]`],
    ['brackets in a text', JSON.stringify({ a: '['.repeat(100) })],
    ['brackets behind an escaped quotation mark', JSON.stringify({ a: `"${'{'.repeat(100)}` })],
    ['brackets behind escaped backslashes', JSON.stringify({ a: `\\\\"${'{'.repeat(100)}` })],
    ['brackets in a name', JSON.stringify({ ['['.repeat(100)]: 1 })],
  ])('%s is taken', (_what, text) => {
    expect(parse(text)).toEqual(JSON.parse(text));
  });

  it.each([
    ['65 levels', nested(65)],
    ['65 levels of objects', `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`],
    ['brackets that are not closed', '['.repeat(1_000_000)],
    ['brackets behind a text that ends in a backslash', `["\\\\",${nested(64)}]`],
    ['what is no JSON either', `${nested(65)}}}}`],
  ])('%s is not', (_what, text) => {
    expect(refusalOf(text)).toEqual(tooDeep);
  });
});

/** Of so many values: a list is one, too. */
const list = (values: number): string => `[${Array.from({ length: values - 1 }, () => '1').join(',')}]`;

describe('number', () => {
  it('100,000 values are taken, and not one more', () => {
    expect((parse(list(100_000)) as unknown[]).length).toBe(99_999);
    expect(refusalOf(list(100_002))).toEqual(tooMuch);
  });

  it('empty lists are values as well', () => {
    expect(refusalOf(`[${'[],'.repeat(100_000)}0]`)).toEqual(tooMuch);
  });

  it('commas in a text are none', () => {
    expect(parse(JSON.stringify(','.repeat(200_000)))).toBe(','.repeat(200_000));
  });
});

it('all other JSON is parsed as JSON.parse does, and what is no JSON is refused', () => {
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

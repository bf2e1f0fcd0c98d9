// The language that a request's Accept-Language chooses.
import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { languageOf } from '../../src/api/language.ts';

const chosenBy = (header?: string) =>
  languageOf({ headers: header === undefined ? {} : { 'accept-language': header } } as IncomingMessage);

test.each([
  // A phone or browser in Brazil.
  ['pt-BR', 'pt-BR'],
  ['pt-BR,pt;q=0.9,en-US;q=0.8,en;q=0.7', 'pt-BR'],
  ['pt', 'pt-BR'],
  ['pt-PT', 'pt-BR'],
  ['PT-br', 'pt-BR'],
  // Weights and lists.
  ['en;q=0.5, pt;q=0.9', 'pt-BR'],
  ['fr, de;q=0.9, pt;q=0.1', 'pt-BR'],
  ['pt;q=0.5, en;q=0.6', 'en'],
  ['pt, en', 'pt-BR'],
  ['en-GB, pt-BR', 'en'],
  ['pt ; q=0.5 , en;q=0.4', 'pt-BR'],
  ['pt;q=0, fr', 'en'],
  ['pt-BR;q=0', 'en'],
  ['*', 'en'],
  ['fr, *;q=0.5', 'en'],
  ['*;q=0.1, pt;q=0.5', 'pt-BR'],
  // Neither language.
  ['fr-CH, fr;q=0.9', 'en'],
  ['', 'en'],
  // The service knows none of these tags.
  ['ptx', 'en'],
  ['pt_BR', 'en'],
  ['pt;q=abc', 'en'],
  ['constructor, __proto__, toString', 'en'],
  [';;;=,,,', 'en'],
  ['"pt', 'en'],
])('the languages %j choose %s', (header, language) => {
  expect(chosenBy(header)).toBe(language);
});

test('English is the language of a reader who names none', () => {
  expect(chosenBy()).toBe('en');
});

const padded = (length: number) => `${'fr,'.repeat(400).slice(0, length - 3)},pt`;

test('a header beyond 1,000 characters is not read', () => {
  expect(chosenBy(padded(1_000))).toBe('pt-BR');
  expect(chosenBy(padded(1_001))).toBe('en');
});

// What a person finds by words.
import { expect, test } from 'vitest';
import { containsWords } from '../../phone/app/contains-words.ts';

const texts = ['Padaria São João', '529******25', 'May rent', 'PIX payment', '£21.27'];

test.each([
  'padaria',
  'SAO JOAO',
  'são joão',
  'sa\u0303o',
  'João padaria',
  '529',
  'rent pix',
  '21.27',
  ' £21 ',
  '',
])('the texts contain %j', (wanted) => {
  expect(containsWords(texts, wanted)).toBe(true);
});

test.each(['joana', 'padaria joana', 'joaopix', '21.28'])('the texts do not contain %j', (wanted) => {
  expect(containsWords(texts, wanted)).toBe(false);
});

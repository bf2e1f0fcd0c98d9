// Which typed numbers the phone offers to complete with Brazil's country code.
import { expect, test } from 'vitest';
import { completedMobile } from '../../phone/app/mobile-number.ts';
import { canonicalPixKey } from '../../src/domain/pix-key.ts';

const completed = (text: string): string | null => completedMobile(canonicalPixKey('phone', `+55${text}`));

test.each([
  ['11987654321', '+55 11 98765-4321'],
  ['(11) 98765-4321', '+55 11 98765-4321'],
  ['21.98765.4321', '+55 21 98765-4321'],
  ['\u202a(11)\u00a098765\u20114321\u202c', '+55 11 98765-4321'],
  // The area code of Santa Maria equals the country code.
  ['55 98765 4321', '+55 55 98765-4321'],
  ['99 91234-5678', '+55 99 91234-5678'],
])('the number %s is completed to %s', (text, expected) => {
  expect(completed(text)).toBe(expected);
});

test.each([
  ['a land line', '11 3456-7890'],
  ['a number with another first digit', '11 88765-4321'],
  ['an area code that does not exist', '20 98765-4321'],
  ['an area code with a zero', '10 98765-4321'],
  ['a digit too few', '11 98765-432'],
  ['a digit too many', '11 98765-43210'],
  ['a number with its country code', '+55 11 98765-4321'],
  ['a number with a country code that lacks its plus', '55 11 98765-4321'],
  ['digits of another script', '11 ٩8765-4321'],
  ['nothing', ''],
])('a text is not completed: %s', (_what, text) => {
  expect(completed(text)).toBeNull();
});

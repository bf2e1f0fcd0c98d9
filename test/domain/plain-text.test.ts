// Names that look like something else. The contract refuses them from clients, and the service ignores such a name in an ID
// token.
import { expect, test } from 'vitest';
import bundle from '../../openapi/generated/openapi.json' with { type: 'json' };
import { canonicalName, isPlainText, keyboardTextOf, plainTextOf } from '../../src/domain/plain-text.ts';

const { UserUpdate, PixPaymentRequest } = bundle.components.schemas;
const [BIDI_OVERRIDE, ESCAPE, JOINER] = ['\u202e', '\u001b', '\u200d'];

test.each([
  ['José da Silva', true],
  ['محمد علي', true],
  ['Ada 👩🏽\u200d💻 ❤\ufe0f', true],
  // Persian and Indic spelling needs joiners.
  ['علی\u200cرضا', true],
  ['श्री क्\u200dष', true],
  ['', true],
  [`Ada${BIDI_OVERRIDE}ecilA`, false],
  [`${ESCAPE}[31mAda`, false],
  ['Ada\nBob', false],
  ['Ada\u0085', false],
  ['Ada\u2028Bob', false],
  ...[
    '\u200b',
    '\u200c',
    JOINER,
    '\u2060',
    '\ufeff',
    '\u00ad',
    '\u034f',
    '\u115f',
    '\u3164',
    '\ufe0f',
    '\u{e0061}',
  ].map((unseen): [string, boolean] => [`A${unseen}da`, false]),
  [`علی${JOINER}`, false],
  [`family of ${JOINER} emoji`, false],
])('the plain text %j may be shown: %s', (name, isShown) => {
  expect(isPlainText(name)).toBe(isShown);
});

test.each([
  ['Rent for May', 'Rent for May'],
  ['  Rent\r\n\tMay\u0000', 'Rent May'],
  [`Ada${BIDI_OVERRIDE}ecilA`, 'Ada ecilA'],
  ['Rent 👩🏽\u200d💻', 'Rent 👩🏽\u200d💻'],
  ['Rent\u200bMay', 'Rent May'],
  [`\n${ESCAPE}${BIDI_OVERRIDE} `, ''],
])('the text %j from outside is shown as %j', (written, shown) => {
  expect(plainTextOf(written)).toBe(shown);
});

test.each([
  ['displayName', UserUpdate.properties.displayName.pattern],
  ['recipientName', PixPaymentRequest.properties.recipientName.pattern],
])('the contract refuses no character of plain text in %s', (_name, pattern) => {
  const taken = new RegExp(pattern, 'u');
  expect(characters.filter((one) => !taken.test(one) && isPlainText(one))).toEqual([]);
});

/** Every character except halves of surrogate pairs. */
const characters = Array.from({ length: 0x11_0000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code));

test('the hidden characters are the control characters and those that Unicode shows nothing for', () => {
  const unseen = /[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029]/u;
  expect(characters.filter((one) => unseen.test(one) === isPlainText(one))).toEqual([]);
});

test.each([
  ['  Ana Souza\n', 'Ana Souza'],
  ['\u00a0Ana\ufeff', 'Ana'],
  ['A'.repeat(140), 'A'.repeat(140)],
  ['A'.repeat(141), null],
  [' ', null],
  ['', null],
  [`Ana${BIDI_OVERRIDE}`, null],
  ['A\u200bna', null],
])('the name %j is kept as %j', (typed, name) => {
  expect(canonicalName(typed)).toBe(name);
});

test.each([
  ['\u202a+55\u00a011\u00a098765\u20114321\u202c', '+55 11 98765-4321'],
  ['\u2068+55 11\u2069', '+55 11'],
  ['\ufeff a\u200bb \r\n', 'ab'],
  ['DE89\u202f3704', 'DE89 3704'],
  // Removing these would leave another text than the one that was shown.
  ['12\u202e34', '12\u202e34'],
  ['\u206712\u2069', '\u206712'],
])('the pasted text %j is %j on a keyboard', (pasted, typed) => {
  expect(keyboardTextOf(pasted)).toBe(typed);
});

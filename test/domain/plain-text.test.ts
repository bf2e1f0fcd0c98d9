// Names that look like something else. The contract refuses them from clients, and the service ignores such a name in an ID
// token.
import { expect, test } from 'vitest';
import bundle from '../../openapi/generated/openapi.json' with { type: 'json' };
import { isPlainText, plainTextOf } from '../../src/domain/plain-text.ts';

const { UserUpdate, PixPaymentRequest } = bundle.components.schemas;
const [BIDI_OVERRIDE, ESCAPE, JOINER] = ['\u202e', '\u001b', '\u200d'];

test.each([
  ['José da Silva', true],
  ['محمد علي', true],
  [`family of ${JOINER} emoji`, true],
  ['', true],
  [`Ada${BIDI_OVERRIDE}ecilA`, false],
  [`${ESCAPE}[31mAda`, false],
  ['Ada\nBob', false],
  ['Ada\u0085', false],
])('the plain text %j may be shown: %s', (name, isShown) => {
  expect(isPlainText(name)).toBe(isShown);
});

test.each([
  ['Rent for May', 'Rent for May'],
  ['  Rent\r\n\tMay\u0000', 'Rent May'],
  [`Ada${BIDI_OVERRIDE}ecilA`, 'Ada ecilA'],
  [`family of ${JOINER} emoji`, `family of ${JOINER} emoji`],
  [`\n${ESCAPE}${BIDI_OVERRIDE} `, ''],
])('the text %j from outside is shown as %j', (written, shown) => {
  expect(plainTextOf(written)).toBe(shown);
});

test.each([
  ['displayName', UserUpdate.properties.displayName.pattern],
  ['recipientName', PixPaymentRequest.properties.recipientName.pattern],
])('the contract accepts the same characters in %s', (_name, pattern) => {
  const taken = new RegExp(pattern, 'u');
  const characters = Array.from({ length: 0xd800 }, (_, code) => String.fromCharCode(code));
  expect(characters.filter((one) => taken.test(one) !== isPlainText(one))).toEqual([]);
});

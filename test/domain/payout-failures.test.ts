import { expect, test } from 'vitest';
import document from '../../openapi/generated/openapi.json' with { type: 'json' };
import { failureReasons } from '../../src/domain/failure-reasons.ts';
import {
  meaningOf,
  type PayoutFailureCode,
  type PayoutLimit,
  payoutFailureCodes,
  payoutFailures,
  payoutLimits,
} from '../../src/domain/payout-failures.ts';

test.each(Object.entries(payoutFailures))(
  'the payout failure %s has a sentence that reveals nothing internal',
  (_, { sentence }) => {
    expect(sentence).toMatch(/^[A-Z].+\.$/);
    expect(sentence).not.toMatch(/usdc|stablecoin|crypto|pivot|leg|hop|upstream|provider|partner|\d/i);
  },
);

test('no two payout failures have the same sentence', () => {
  const sentences = Object.values(payoutFailures).map(({ sentence }) => sentence);
  expect(new Set(sentences).size).toBe(sentences.length);
});

// The last column repeats the table, so that an answer to users changes only on purpose.
test.each<[PayoutFailureCode, PayoutLimit | null, boolean]>([
  ['recipient_unknown', null, false],
  ['limit_reached', null, true],
  ['limit_reached', 'per_payment', false],
  ['limit_reached', 'day', true],
  ['limit_reached', 'night', true],
  ['account_blocked', null, false],
  ['name_mismatch', null, false],
  ['recipient_bank_unavailable', null, true],
  ['code_expired', null, false],
  ['other', null, true],
])('after the payout failure %s (%s), it is %s that a retry helps', (code, limit, retryHelps) => {
  const { sentence, ...meaning } = meaningOf({ code, limit });
  expect(meaning).toEqual({ retryHelps });
  expect(sentence.includes('you can try again')).toBe(retryHelps);
  expect(sentence.includes('will not help')).toBe(!retryHelps);
});

test('the sentences of the failure codes that old clients know stay', () => {
  expect(payoutFailures.other.sentence).toBe(failureReasons.payout_failed);
  expect(payoutFailures.recipient_unknown.sentence).toBe(failureReasons.recipient_unknown);
});

test('the contract names every code and limit, and no other', () => {
  const { PayoutFailureCode: code, PayoutLimitOrNull: limit } = document.components.schemas;
  expect(code.enum).toEqual(payoutFailureCodes);
  expect(limit.enum).toEqual([...payoutLimits, null]);
});

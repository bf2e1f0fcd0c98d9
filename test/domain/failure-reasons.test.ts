import { expect, test } from 'vitest';
import document from '../../openapi/generated/openapi.json' with { type: 'json' };
import { failureCodes, failureReasons } from '../../src/domain/failure-reasons.ts';
import { meaningOf, type PayoutFailure } from '../../src/domain/payout-failures.ts';

test.each(Object.entries(failureReasons))(
  'the failure code %s has a sentence that reveals nothing internal',
  (_, sentence) => {
    expect(sentence).toMatch(/^[A-Z].+\.$/);
    expect(sentence).not.toMatch(/usdc|stablecoin|crypto|pivot|leg|hop|upstream|provider|partner|\d/i);
  },
);

test('no two codes have the same sentence', () => {
  const sentences = Object.values(failureReasons);
  expect(new Set(sentences).size).toBe(sentences.length);
});

test('the contract names every code, and no other', () => {
  expect(document.components.schemas.FailureCode.enum).toEqual([...failureCodes, null]);
  for (const code of failureCodes)
    expect(document.components.schemas.FailureCode.description).toContain(`| \`${code}\` |`);
});

test('the contract shows each code with its sentence', () => {
  const shown = shownIn(document.paths);
  expect(shown.length).toBeGreaterThan(5);
  for (const { failureCode, failureReason, payoutFailure } of shown)
    expect(failureReason).toBe(
      payoutFailure ? meaningOf(payoutFailure).sentence : failureCode && failureReasons[failureCode],
    );
});

type Shown = {
  failureCode: keyof typeof failureReasons | null;
  failureReason: string | null;
  payoutFailure?: PayoutFailure;
};

/** Every object with a failure reason in the examples. */
function shownIn(value: unknown): Shown[] {
  if (typeof value !== 'object' || value === null) return [];
  const within = Object.values(value).flatMap(shownIn);
  return 'failureReason' in value ? [value as Shown, ...within] : within;
}

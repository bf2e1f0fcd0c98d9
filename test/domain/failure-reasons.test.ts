import { expect, test } from 'vitest';
import { failureReasons } from '../../src/domain/failure-reasons.ts';

test.each(Object.entries(failureReasons))(
  '%s is told in a sentence that gives nothing away',
  (_, sentence) => {
    expect(sentence).toMatch(/^[A-Z].+\.$/);
    expect(sentence).not.toMatch(/usdc|stablecoin|crypto|pivot|leg|hop|upstream|provider|partner|\d/i);
  },
);

test('no two codes say the same', () => {
  const sentences = Object.values(failureReasons);
  expect(new Set(sentences).size).toBe(sentences.length);
});

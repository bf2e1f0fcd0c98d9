import { expect, test } from 'vitest';
import { randomBytes } from '../../src/domain/random-bytes.ts';

test('no bytes are drawn twice, over several blocks', () => {
  const all = Array.from({ length: 5_000 }, () => randomBytes(12).toString('hex'));
  expect(new Set(all).size).toBe(all.length);
});

test('the bytes of one caller stay as they are when others are drawn', () => {
  const mine = randomBytes(16);
  const before = mine.toString('hex');
  for (let drawn = 0; drawn < 1_000; drawn += 1) randomBytes(16).fill(1);
  expect(mine.toString('hex')).toBe(before);
  expect(mine.every((byte) => byte === 0)).toBe(false);
});

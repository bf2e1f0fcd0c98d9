// Uuids whose random bytes are fetched in batches.
import { version } from 'uuid';
import { expect, test } from 'vitest';
import { newUuid } from '../../sandbox/provider/new-uuid.ts';

test('more uuids than one batch of random bytes are all of version 7 and all different', () => {
  const all = Array.from({ length: 1000 }, newUuid);
  expect(new Set(all).size).toBe(1000);
  // The part after the time differs in each uuid, even within a millisecond.
  expect(new Set(all.map((uuid) => uuid.slice(19))).size).toBe(1000);
  expect(new Set(all.map(version))).toEqual(new Set([7]));
});

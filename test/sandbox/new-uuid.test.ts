// Uuids whose randomness is fetched for many at once.
import { version } from 'uuid';
import { expect, it } from 'vitest';
import { newUuid } from '../../sandbox/provider/new-uuid.ts';

it('are of version 7 and all different, beyond what is fetched at once', () => {
  const all = Array.from({ length: 1000 }, newUuid);
  expect(new Set(all).size).toBe(1000);
  // What follows the time differs in each, also within a millisecond.
  expect(new Set(all.map((uuid) => uuid.slice(19))).size).toBe(1000);
  expect(new Set(all.map(version))).toEqual(new Set([7]));
});

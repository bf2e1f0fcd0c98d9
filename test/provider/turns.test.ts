// Whose turn it is: a cap for all, a share for each, people before work, and nobody waits longer than they can.
import { expect, it } from 'vitest';
import type { Priority } from '../../src/provider/call-priority.ts';
import { createTurns } from '../../src/provider/turns.ts';

const LONG = 60_000;

/** Takes turns that are not given back; @returns who has got one so far, in order. */
function takeAll(limit: number, askers: Priority[]) {
  const turns = createTurns(limit);
  const got: string[] = [];
  const ends: (() => void)[] = [];
  const taken = askers.map(async (asker, index) => {
    const end = await turns.take(asker, LONG);
    got.push(end ? `${asker} ${index}` : `${asker} ${index} away`);
    if (end) ends.push(end);
  });
  return { turns, got, ends, taken };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

const times = (count: number, asker: Priority): Priority[] => Array.from({ length: count }, () => asker);

it.each([
  // Limit, who asks, how many of each go at once.
  [8, [...times(20, 'work')], { request: 0, work: 6 }],
  [8, [...times(20, 'request')], { request: 6, work: 0 }],
  [8, [...times(20, 'work'), ...times(20, 'request')], { request: 2, work: 6 }],
  [8, [...times(20, 'request'), ...times(20, 'work')], { request: 6, work: 2 }],
  [4, [...times(9, 'work'), ...times(9, 'request')], { request: 1, work: 3 }],
  [1, [...times(2, 'work'), ...times(2, 'request')], { request: 0, work: 1 }],
] as const)('of %i turns, each keeps a share from the other', async (limit, askers, expected) => {
  const { turns } = takeAll(limit, [...askers]);
  await settle();
  const { request, work } = turns.load();
  expect({ request: request.underWay, work: work.underWay }).toEqual(expected);
  expect(request.waiting + work.waiting).toBe(askers.length - request.underWay - work.underWay);
  turns.close();
});

it('people go first, and each in the order they came', async () => {
  const { turns, got, ends } = takeAll(1, ['work', 'work', 'work', 'request', 'request']);
  for (let given = 0; given < 5; given += 1) {
    await settle();
    ends.shift()?.();
  }
  expect(got).toEqual(['work 0', 'request 3', 'request 4', 'work 1', 'work 2']);
  await settle();
  expect(turns.load()).toEqual({
    request: { underWay: 0, waiting: 0 },
    work: { underWay: 0, waiting: 0 },
  });
});

it('a turn that does not come in time is not taken later', async () => {
  const turns = createTurns(1);
  const end = await turns.take('work', LONG);
  expect(await turns.take('request', 20)).toBeNull();
  end?.();
  expect(turns.load().request).toEqual({ underWay: 0, waiting: 0 });
  expect(await turns.take('request', 20)).not.toBeNull();
});

it('closing sends everybody away who waits', async () => {
  const { turns, got, taken } = takeAll(1, ['work', 'work', 'request']);
  turns.close();
  await Promise.all(taken);
  expect(got.toSorted()).toEqual(['request 2 away', 'work 0', 'work 1 away']);
});

// Whose turn it is: a cap for all, a share for each, people before work, and nobody waits longer than they can.
import { expect, it } from 'vitest';
import type { Priority } from '../../src/provider/call-priority.ts';
import { createTurns } from '../../src/provider/turns.ts';

const LONG = 60_000;

/** Takes turns that are not given back; @returns who has got one so far, in order. */
function takeAll(limit: number, priorities: Priority[]) {
  const turns = createTurns(limit);
  const got: string[] = [];
  const ends: (() => void)[] = [];
  const taken = priorities.map(async (priority, index) => {
    const end = await turns.take(priority, LONG);
    got.push(end ? `${priority} ${index}` : `${priority} ${index} away`);
    if (end) ends.push(end);
  });
  return { turns, got, ends, taken };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

const times = (count: number, priority: Priority): Priority[] =>
  Array.from({ length: count }, () => priority);

it.each([
  // Limit, priorities, how many of each go at once.
  [8, [...times(20, 'background')], { interactive: 0, background: 6 }],
  [8, [...times(20, 'interactive')], { interactive: 6, background: 0 }],
  [8, [...times(20, 'background'), ...times(20, 'interactive')], { interactive: 2, background: 6 }],
  [8, [...times(20, 'interactive'), ...times(20, 'background')], { interactive: 6, background: 2 }],
  [4, [...times(9, 'background'), ...times(9, 'interactive')], { interactive: 1, background: 3 }],
  [1, [...times(2, 'background'), ...times(2, 'interactive')], { interactive: 0, background: 1 }],
] as const)('of %i turns, each keeps a share from the other', async (limit, priorities, expected) => {
  const { turns } = takeAll(limit, [...priorities]);
  await settle();
  const { interactive, background } = turns.load();
  expect({ interactive: interactive.underWay, background: background.underWay }).toEqual(expected);
  expect(interactive.waiting + background.waiting).toBe(
    priorities.length - interactive.underWay - background.underWay,
  );
  turns.close();
});

it('people go first, and each in the order they came', async () => {
  const { turns, got, ends } = takeAll(1, [
    'background',
    'background',
    'background',
    'interactive',
    'interactive',
  ]);
  for (let given = 0; given < 5; given += 1) {
    await settle();
    ends.shift()?.();
  }
  expect(got).toEqual(['background 0', 'interactive 3', 'interactive 4', 'background 1', 'background 2']);
  await settle();
  expect(turns.load()).toEqual({
    interactive: { underWay: 0, waiting: 0 },
    background: { underWay: 0, waiting: 0 },
  });
});

it('a turn that does not come in time is not taken later', async () => {
  const turns = createTurns(1);
  const end = await turns.take('background', LONG);
  expect(await turns.take('interactive', 20)).toBeNull();
  end?.();
  expect(turns.load().interactive).toEqual({ underWay: 0, waiting: 0 });
  expect(await turns.take('interactive', 20)).not.toBeNull();
});

it('closing sends everybody away who waits', async () => {
  const { turns, got, taken } = takeAll(1, ['background', 'background', 'interactive']);
  turns.close();
  await Promise.all(taken);
  expect(got.toSorted()).toEqual(['background 0', 'background 1 away', 'interactive 2 away']);
});

// The slots of a process, and the shares that one user, one type of work and each origin may have of them.
import { describe, expect, test } from 'vitest';
import type { Work } from '../../src/outbox/work.ts';
import { createWorkShares, type Origin, type WorkShares } from '../../src/outbox/work-shares.ts';

type Piece = Partial<Pick<Work, 'userId' | 'type' | 'isUrgent'>>;

let made = 0;
const piece = ({ userId = null, type, isUrgent = false }: Piece = {}): Work => {
  made += 1;
  return { kind: 'effect', id: `${made}`, userId, type: type ?? `type ${made}`, token: 1, isUrgent };
};

/** Begins as many such pieces of work as there are slots for. @returns a function for each that frees its slot. */
function begin(slots: WorkShares, origin: Origin, like: Piece = {}): (() => void)[] {
  const begun: (() => void)[] = [];
  for (let work = piece(like); slots.mayBegin(origin, work); work = piece(like))
    begun.push(slots.begin(origin, work));
  return begun;
}

describe.each([
  // The columns are: total slots, slots of one origin, slots of one type, slots of one user.
  [1, 1, 1, 1],
  [2, 1, 1, 1],
  [4, 3, 3, 2],
  [8, 6, 4, 2],
  [10, 7, 5, 3],
  [40, 30, 20, 10],
])('of %i slots', (total, ofOneOrigin, ofOneType, ofOnePerson) => {
  test.each(['handed_off', 'claimed'] as const)(
    `work that was %s may use ${ofOneOrigin} of ${total} slots`,
    (origin) => {
      const slots = createWorkShares(total);
      expect(slots.free(origin)).toBe(ofOneOrigin);
      expect(begin(slots, origin)).toHaveLength(ofOneOrigin);
      expect(slots.free(origin)).toBe(0);
    },
  );

  test(`the other origin may use the remaining slots of ${total}`, () => {
    const slots = createWorkShares(total);
    begin(slots, 'handed_off');
    expect(begin(slots, 'claimed')).toHaveLength(total - ofOneOrigin);
    expect(slots.free('claimed')).toBe(0);
  });

  test(`one type of work may use ${ofOneType} of ${total} slots, counting both origins`, () => {
    const slots = createWorkShares(total);
    const both = [
      ...begin(slots, 'handed_off', { type: 'startPayout' }),
      ...begin(slots, 'claimed', { type: 'startPayout' }),
    ];
    expect(both).toHaveLength(ofOneType);
    expect(slots.typesAtLimit()).toEqual(['startPayout']);
  });

  test(`one user may use ${ofOnePerson} of ${total} slots`, () => {
    const slots = createWorkShares(total);
    expect(begin(slots, 'claimed', { userId: 'ada' })).toHaveLength(ofOnePerson);
  });
});

test('a slot that is freed is available to the same user, type and origin again', () => {
  const slots = createWorkShares(8);
  const [free] = begin(slots, 'claimed', { userId: 'ada', type: 'startPayout' });
  expect(slots.usersAtLimit()).toEqual(['ada']);
  free?.();
  expect(slots.usersAtLimit()).toEqual([]);
  expect(begin(slots, 'claimed', { userId: 'ada', type: 'startPayout' })).toHaveLength(1);
});

test('a user at their limit does not prevent another user’s work of the same type from beginning', () => {
  const slots = createWorkShares(4);
  begin(slots, 'claimed', { userId: 'ada', type: 'startPayout' });
  expect(begin(slots, 'claimed', { userId: 'bea', type: 'startPayout' })).toHaveLength(1);
});

test('work without a known user counts towards no user’s share', () => {
  const slots = createWorkShares(8);
  begin(slots, 'claimed', { userId: null });
  expect(slots.usersAtLimit()).toEqual([]);
});

test.each([
  // The columns are: total slots, additional slots for urgent work.
  [1, 1],
  [8, 1],
  [20, 3],
])('when all %i slots are in use, urgent work may use %i more, counting both origins', (total, more) => {
  const slots = createWorkShares(total);
  for (const origin of ['handed_off', 'claimed'] as const) begin(slots, origin);
  expect(begin(slots, 'claimed')).toHaveLength(0);
  const [free, ...others] = [
    ...begin(slots, 'claimed', { isUrgent: true }),
    ...begin(slots, 'handed_off', { isUrgent: true }),
  ];
  expect(others).toHaveLength(more - 1);
  expect(slots.freeForUrgent()).toBe(0);
  free?.();
  expect(slots.freeForUrgent()).toBe(1);
});

test('urgent work uses the normal slots first and has no larger share of one type', () => {
  const slots = createWorkShares(8);
  expect(begin(slots, 'claimed', { isUrgent: true, type: 'startConversion' })).toHaveLength(4);
  expect(slots.freeForUrgent()).toBe(1);
});

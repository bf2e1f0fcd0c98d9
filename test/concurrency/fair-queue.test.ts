// Queued work in memory is taken round-robin by compartment and user. Work that may not begin yet delays no work behind it.
import { expect, test } from 'vitest';
import { createFairQueue, type FairQueue } from '../../src/platform/concurrency/fair-queue.ts';

type Work = { user: string; id: string; type: string; compartment?: string; weight?: number };

const workOf = (user: string, id: string, type = 'startPayout'): Work => ({ user, id, type });

const heavyOf = (user: string, id: string): Work => ({ ...workOf(user, id), weight: 3 });
const payoutOf = (user: string, id: string): Work => ({ ...workOf(user, id), compartment: 'payouts' });

const isBea = ({ user }: Work): boolean => user === 'bea';

function queueOf(...works: Work[]): FairQueue<Work> {
  const queue = createFairQueue<Work>((work) => work);
  for (const work of works) queue.add(work);
  return queue;
}

const takeAll = (queue: FairQueue<Work>, mayBegin: (work: Work) => boolean = () => true): string[] => {
  const taken: string[] = [];
  for (let work = queue.next(mayBegin); work !== null; work = queue.next(mayBegin)) taken.push(work.id);
  return taken;
};

test('users take turns, each with their oldest work', () => {
  const queue = queueOf(
    workOf('ada', 'a1'),
    workOf('ada', 'a2'),
    workOf('ada', 'a3'),
    workOf('bea', 'b1'),
    workOf('bea', 'b2'),
    workOf('cem', 'c1'),
  );
  expect(takeAll(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  expect(queue.size()).toBe(0);
});

test('work of a user who comes later is taken before another user’s third item', () => {
  const queue = queueOf(workOf('ada', 'a1'), workOf('ada', 'a2'));
  expect(queue.next(() => true)?.id).toBe('a1');
  queue.add(workOf('bea', 'b1'));
  queue.add(workOf('ada', 'a3'));
  expect(takeAll(queue)).toEqual(['a2', 'b1', 'a3']);
});

test('work that may not begin stays, and work behind it is taken, even of the same user', () => {
  const queue = queueOf(
    workOf('ada', 'a1'),
    workOf('ada', 'a2', 'startConversion'),
    workOf('bea', 'b1'),
    workOf('bea', 'b2', 'startConversion'),
  );
  expect(takeAll(queue, ({ type }) => type === 'startConversion')).toEqual(['a2', 'b2']);
  expect(queue.size()).toBe(2);
  expect(takeAll(queue)).toEqual(['a1', 'b1']);
});

test('no work is taken while none may begin, and the order is kept', () => {
  const queue = queueOf(workOf('ada', 'a1'), workOf('bea', 'b1'));
  expect(queue.next(() => false)).toBeNull();
  expect(queue.size()).toBe(2);
  expect(takeAll(queue)).toEqual(['a1', 'b1']);
});

test('clearing returns all work that waited', () => {
  const queue = queueOf(workOf('ada', 'a1'), workOf('bea', 'b1'), workOf('ada', 'a2'));
  expect(queue.clear().map(({ id }) => id)).toEqual(['a1', 'a2', 'b1']);
  expect(queue.size()).toBe(0);
  expect(queue.next(() => true)).toBeNull();
});

test('compartments take turns, and so do the users in each', () => {
  const queue = queueOf(
    { ...workOf('ada', 'a1'), compartment: 'quotes' },
    { ...workOf('ada', 'a2'), compartment: 'quotes' },
    { ...workOf('bea', 'b1'), compartment: 'quotes' },
    { ...workOf('ada', 'a3'), compartment: 'payouts' },
    { ...workOf('ada', 'a4'), compartment: 'payouts' },
  );
  expect(takeAll(queue)).toEqual(['a1', 'a3', 'b1', 'a4', 'a2']);
});

test('work that is removed once or twice is not taken', () => {
  const [first, second] = [workOf('ada', 'a1'), workOf('ada', 'a2')];
  const queue = queueOf(first, second);
  queue.remove(first);
  queue.remove(first);
  expect(queue.size()).toBe(1);
  expect(queue.items()).toEqual([second]);
  expect(takeAll(queue)).toEqual(['a2']);
});

test('a user whose item was heavy lets others pass before their next one', () => {
  const light = ['b1', 'b2', 'b3', 'b4', 'b5'].map((id) => workOf('bea', id));
  const queue = queueOf(heavyOf('ada', 'a1'), heavyOf('ada', 'a2'), ...light);
  expect(takeAll(queue)).toEqual(['a1', 'b1', 'b2', 'b3', 'a2', 'b4', 'b5']);
});

test('a user with heavy items does not wait if there is no other user', () => {
  const queue = queueOf({ ...workOf('ada', 'a1'), weight: 100 }, { ...workOf('ada', 'a2'), weight: 100 });
  expect(takeAll(queue)).toEqual(['a1', 'a2']);
});

test('an item that may not begin holds back later items of its user if the order is kept', () => {
  const queue = createFairQueue<Work>((work) => work, { keepsOrder: true });
  const works = [
    workOf('ada', 'a1'),
    workOf('ada', 'a2', 'startConversion'),
    workOf('bea', 'b1', 'startConversion'),
  ];
  for (const work of works) queue.add(work);
  expect(takeAll(queue, ({ type }) => type === 'startConversion')).toEqual(['b1']);
});

test('a user who comes to a quiet compartment takes turns with those who wait there', () => {
  const queue = queueOf(...['a1', 'a2', 'a3'].map((id) => payoutOf('ada', id)));
  for (let nth = 0; nth < 50; nth += 1) {
    queue.add({ ...workOf('bea', `q${nth}`), compartment: 'quotes' });
    queue.next(({ compartment }) => compartment === 'quotes');
  }
  queue.add(payoutOf('cem', 'c1'));
  expect(takeAll(queue)).toEqual(['a1', 'c1', 'a2', 'a3']);
});

test('a user who could not begin for a while does not catch up', () => {
  const queue = queueOf(...['a1', 'a2', 'a3'].map((id) => workOf('ada', id)));
  for (const id of ['b1', 'b2', 'b3', 'b4', 'b5', 'b6']) queue.add(workOf('bea', id));
  expect([queue.next(isBea)?.id, queue.next(isBea)?.id, queue.next(isBea)?.id]).toEqual(['b1', 'b2', 'b3']);
  expect(takeAll(queue)).toEqual(['a1', 'b4', 'a2', 'b5', 'a3', 'b6']);
});

// The limits on users' requests: how many run, which is next, and which are refused.
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import {
  createRequestShares,
  type RequestLimits,
  type Turn,
  weightOfPage,
} from '../../src/api/request-shares.ts';
import { Refusal } from '../../src/domain/refusals.ts';
import { until } from '../support/until.ts';

/** With these limits no request is refused for having waited. Tests that want such a refusal change them. */
const limits: RequestLimits = {
  ofUser: 2,
  ofRefused: 2,
  waitingOfUser: 3,
  ofAll: 3,
  inProgress: 100,
  ofLongPages: 2,
  waitMs: 300_000,
  refusedAfterMs: 1,
};

function createRequests(wanted: Partial<RequestLimits> = {}) {
  const limit = createRequestShares({ ...limits, ...wanted });
  const begun: string[] = [];
  const refused: string[] = [];
  const turns = new Map<string, Turn>();
  const send = (userId: string, name: string, weight = 1) => {
    const response = new EventEmitter();
    const enter = async (): Promise<void> => {
      try {
        turns.set(name, await limit.enter(userId, weight, response));
        begun.push(name);
      } catch (error) {
        refused.push(error instanceof Refusal ? `${name} ${error.code}` : String(error));
      }
    };
    void enter();
    return response;
  };
  const end = async (name: string) => {
    turns.get(name)?.end();
    await settled();
  };
  /** The request calls the provider until the returned function is called. */
  const calls = async (name: string) => {
    const answer = Promise.withResolvers<void>();
    const called = turns.get(name)?.whileCalling(() => answer.promise);
    await settled();
    return async () => {
      answer.resolve();
      await called;
      await settled();
    };
  };
  return { begun, refused, send, end, calls };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a user’s requests run up to their limit, and another user’s run concurrently', async () => {
  const { begun, send, end } = createRequests();
  for (const name of ['a1', 'a2', 'a3', 'a4']) send('ada', name);
  send('bea', 'b1');
  await settled();
  expect(begun).toEqual(['a1', 'a2', 'b1']);
  await end('a1');
  await end('b1');
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
});

test('users take turns when all of them together reach their limit', async () => {
  const { begun, send, end } = createRequests({ ofUser: 3 });
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']) send('ada', name);
  send('bea', 'b1');
  send('bea', 'b2');
  send('cem', 'c1');
  await settled();
  expect(begun).toEqual(['a1', 'a2', 'a3']);
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1']) await end(name);
  expect(begun).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'a5', 'b2', 'a6']);
});

test('a request that waits for the provider gives its turn to another user, and keeps its place among its user’s own', async () => {
  const { begun, send, calls } = createRequests({ ofAll: 2 });
  for (const name of ['a1', 'a2', 'a3']) send('ada', name);
  send('bea', 'b1');
  await settled();
  expect(begun).toEqual(['a1', 'a2']);
  await calls('a1');
  expect(begun).toEqual(['a1', 'a2', 'b1']);
});

test('a request that comes back from the provider runs at once, and nobody else begins until it has ended', async () => {
  const { begun, send, end, calls } = createRequests({ ofAll: 1 });
  send('ada', 'a1');
  await settled();
  const answer = await calls('a1');
  send('bea', 'b1');
  send('cem', 'c1');
  await settled();
  expect(begun).toEqual(['a1', 'b1']);
  await answer();
  await end('b1');
  expect(begun).toEqual(['a1', 'b1']);
  await end('a1');
  expect(begun).toEqual(['a1', 'b1', 'c1']);
});

test('a request whose calls overlap takes its turn once, and none after its end', async () => {
  const { begun, send, end, calls } = createRequests({ ofAll: 2 });
  send('ada', 'a1');
  await settled();
  const answers = [await calls('a1'), await calls('a1'), await calls('a1')];
  await answers[0]?.();
  await answers[1]?.();
  send('bea', 'b1');
  send('cem', 'c1');
  await settled();
  expect(begun).toEqual(['a1', 'b1']);
  await end('a1');
  await answers[2]?.();
  expect(begun).toEqual(['a1', 'b1', 'c1']);
  send('dan', 'd1');
  await end('b1');
  expect(begun).toEqual(['a1', 'b1', 'c1', 'd1']);
});

test('requests that wait for the provider are limited for all users together', async () => {
  const { begun, send, end, calls } = createRequests({ inProgress: 2 });
  send('ada', 'a1');
  send('bea', 'b1');
  await settled();
  await calls('a1');
  await calls('b1');
  send('cem', 'c1');
  await settled();
  expect(begun).toEqual(['a1', 'b1']);
  await end('b1');
  expect(begun).toEqual(['a1', 'b1', 'c1']);
});

test('a request frees one turn, however often it ends', async () => {
  const { begun, send, end } = createRequests();
  for (const name of ['a1', 'a2', 'a3', 'a4']) send('ada', name);
  await settled();
  await end('a1');
  await end('a1');
  expect(begun).toEqual(['a1', 'a2', 'a3']);
});

test('a user’s surplus requests are refused, and the next one is accepted when there is room', async () => {
  const { begun, refused, send, end } = createRequests();
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7']) send('ada', name);
  await until(
    async () => refused.length,
    (count) => count === 2,
  );
  expect(refused).toEqual(['a6 too_many_requests', 'a7 too_many_requests']);
  await end('a1');
  send('ada', 'a8');
  await settled();
  for (const name of ['a2', 'a3', 'a4', 'a5']) await end(name);
  expect([begun, refused]).toEqual([
    ['a1', 'a2', 'a3', 'a4', 'a5', 'a8'],
    ['a6 too_many_requests', 'a7 too_many_requests'],
  ]);
});

test('a user who was refused runs fewer requests until none of theirs waits', async () => {
  const { begun, refused, send, end } = createRequests({ ofRefused: 1 });
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']) send('ada', name);
  await until(
    async () => refused,
    (names) => names.length === 1,
  );
  await end('a1');
  expect(begun).toEqual(['a1', 'a2']);
  for (const name of ['a2', 'a3', 'a4']) await end(name);
  expect(begun).toEqual(['a1', 'a2', 'a3', 'a4', 'a5']);
  send('ada', 'a7');
  await settled();
  expect(begun).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'a7']);
});

test('a request that has waited too long is refused and forgotten', async () => {
  const { begun, refused, send, end } = createRequests({ waitMs: 1 });
  for (const name of ['a1', 'a2', 'a3']) send('ada', name);
  await until(
    async () => refused,
    (names) => names.length === 1,
  );
  await end('a1');
  expect([begun, refused]).toEqual([['a1', 'a2'], ['a3 too_many_requests']]);
});

test('a client that disconnects while its request waits gives up its turn', async () => {
  const { begun, refused, send, end } = createRequests();
  send('ada', 'a1');
  send('ada', 'a2');
  const response = send('ada', 'a3');
  send('ada', 'a4');
  await settled();
  response.emit('close');
  await settled();
  await end('a1');
  expect([begun, refused]).toEqual([['a1', 'a2', 'a4'], ['a3 too_many_requests']]);
  expect(response.listenerCount('close')).toBe(0);
});

test.each([
  [undefined, 1],
  ['20', 1],
  ['125', 1],
  ['126', 2],
  ['1000', 8],
  ['1e9', 8],
  ['-5', 1],
  ['all', 1],
  [['1000', '5'], 1],
])('a page with the limit %j counts as %i requests', (limit, weight) => {
  expect(weightOfPage(limit)).toBe(weight);
});

test('a long page counts as several requests of its user, and short requests of other users pass it', async () => {
  const { begun, send, end } = createRequests({ ofUser: 4, ofAll: 100, ofLongPages: 4 });
  send('ada', 'a1', 4);
  for (const name of ['a2', 'a3']) send('ada', name);
  send('bea', 'long', 4);
  send('bea', 'short');
  await settled();
  expect(begun).toEqual(['a1', 'short']);
  await end('short');
  await end('a1');
  expect(begun).toEqual(['a1', 'short', 'long', 'a2', 'a3']);
});

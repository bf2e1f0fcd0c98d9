// Clients that send a body slowly or do not read their answer do not delay other clients. The memory that they take is limited
// for each user and for all users.
import { afterEach, expect, test } from 'vitest';
import type { ByteLimits } from '../../src/api/byte-budget.ts';
import { MAX_IN_PROGRESS } from '../../src/api/connections.ts';
import type { OperationId } from '../../src/api/operation.ts';
import type { RequestLimits } from '../../src/api/request-shares.ts';
import type { Entity } from '../../src/tables/rows.ts';
import { startBareApi } from '../support/bare-api.ts';
import { type OpenConnection, openConnection } from '../support/open-connection.ts';
import { until } from '../support/until.ts';

/** Four requests run at a time. A request that has to wait is refused immediately. */
const requests: RequestLimits = {
  ofUser: 2,
  ofRefused: 2,
  waitingOfUser: 3,
  ofAll: 4,
  inProgress: 100,
  ofLongPages: 4,
  waitMs: 1,
  refusedAfterMs: 1,
};
/** A slow body: most of it arrives, and more than is free. */
const BODY = 2_500;
const FIRST_PART = 2_000;
const FREE = 1_000;
/** One user may have three slow bodies, and all users may have five. */
const bytes: ByteLimits = {
  free: FREE,
  lateAfterMs: 300_000,
  ofHolder: 3 * (BODY - FREE),
  ofAll: 5 * (BODY - FREE),
  slowAfterMs: 5,
  waitMs: 300_000,
};
/** No byte beyond the free ones. */
const nothing: ByteLimits = { ...bytes, ofHolder: 1, ofAll: 1 };

const idle = { status: 200, body: { status: 'ok' } };
const list = (rows: number) => ({ status: 200, body: Array.from({ length: rows }, () => transaction) });
const transaction = {
  id: '019ab000-0000-7000-8000-000000000001',
  type: 'deposit',
  status: 'completed',
  sourceCurrency: 'GBP',
  sourceAmount: 100,
  heldAmount: null,
  destCurrency: null,
  destAmount: null,
  fxRate: null,
  // Sixteen answers of a thousand such rows are more than the buffers between two sockets hold.
  provider: 'sandbox '.repeat(100),
  failureReason: null,
  failureCode: null,
  pixPaymentId: null,
  createdAt: '2026-11-23T10:00:00.000Z',
  completedAt: '2026-11-23T10:00:00.000Z',
};

type Limits = { requests: RequestLimits; bytes: ByteLimits; connections?: number };

let api: Awaited<ReturnType<typeof startBareApi>>;
afterEach(() => api.stop());

/** Starts the API. Each token is the id of its user. */
const start = async (act: (operation: OperationId) => unknown, limits: Limits = { requests, bytes }) => {
  api = await startBareApi(act, {
    limits,
    authenticate: async (request) => {
      const id = request.headers.authorization?.replace('Bearer ', '') ?? '';
      await request.takeTurn(id);
      request.user = { id } as Entity<'User'>;
    },
  });
};

const get = (person: string, path = '/bank-details'): Promise<number> =>
  fetch(`${api.url}${path}`, { headers: { authorization: `Bearer ${person}` } }).then(async (response) => {
    await response.text();
    return response.status;
  });

type Client = OpenConnection;

const open = (): Client => openConnection(api.url);

type Sent = { path?: string; first?: number; length?: number };

/** Sends a request with the first part of its body. Resolves when the service asks for the body. */
async function beginBody(
  person: string | null,
  { path = '/pix/quote', first = FIRST_PART, length = BODY }: Sent = {},
): Promise<Client> {
  const client = open();
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    ...(person === null ? [] : [`Authorization: Bearer ${person}`]),
    'Content-Type: application/json',
    `Content-Length: ${length}`,
    'Expect: 100-continue',
  ];
  client.socket.write(`${head.join('\r\n')}\r\n\r\n${bodyOf(length).slice(0, first)}`);
  await until(
    async () => client.received() !== '' || client.isClosed(),
    (hasBegun) => hasBegun,
  );
  return client;
}

/** Begins a slow body, and waits until its bytes are counted. */
async function slowBody(person: string | null, path = '/pix/quote'): Promise<Client> {
  const before = api.heldBytes();
  const client = await beginBody(person, { path });
  await until(
    async () => api.heldBytes(),
    (held) => held > before,
  );
  return client;
}

const bodyOf = (length: number): string => JSON.stringify({ amountBrl: 20 }).padEnd(length);

const endBody = async ({ socket, received }: Client): Promise<string> => {
  socket.write(bodyOf(BODY).slice(FIRST_PART));
  await until(
    async () => received(),
    (text) => text.split('HTTP/1.1 ').length > 2,
  );
  return received().split('HTTP/1.1 ')[2]?.slice(0, 3) ?? '';
};

const closed = ({ isClosed }: Client) =>
  until(
    async () => isClosed(),
    (is) => is,
  );

test('slow bodies of many users do not delay other users', async () => {
  await start(() => ({ status: 200, body: [] }));
  const bodies = [];
  for (const person of ['ada', 'bea', 'cem', 'dea', 'eva']) bodies.push(await beginBody(person));
  expect(await get('fay')).toBe(200);
  expect(bodies.map(({ received }) => received().slice(0, 12))).toEqual(Array(5).fill('HTTP/1.1 100'));
});

test('a slow body is served when it has arrived', async () => {
  let calls = 0;
  await start(() => {
    calls += 1;
    return idle;
  });
  const client = await beginBody('ada');
  expect(calls).toBe(0);
  // The contract has no such answer, so it becomes a 500. The handler has run.
  expect([await endBody(client), calls]).toEqual(['500', 1]);
});

test('a slow body beyond a user’s bytes closes the connection of their oldest one', async () => {
  await start(() => idle);
  const other = await slowBody('bea');
  const [oldest, ...rest] = [await slowBody('ada'), await slowBody('ada'), await slowBody('ada')];
  expect(oldest.isClosed()).toBe(false);
  const last = await beginBody('ada');
  await closed(oldest);
  expect([other, ...rest, last].map(({ isClosed }) => isClosed())).toEqual([false, false, false, false]);
});

test('slow bodies beyond the bytes of all users close the oldest one of the user who has the most', async () => {
  await start(() => idle);
  const cem = await slowBody('cem');
  const [oldest, ...rest] = [await slowBody('ada'), await slowBody('ada'), await slowBody('ada')];
  const others = [await slowBody('bea'), await beginBody('dea')];
  await closed(oldest);
  expect([cem, ...rest, ...others].every(({ isClosed }) => !isClosed())).toBe(true);
});

test('slow bodies of an address without a session close each other’s connections, and no user’s', async () => {
  await start(() => idle);
  const ada = await slowBody('ada');
  const [oldest, ...rest] = [
    await slowBody(null, '/auth/session'),
    await slowBody(null, '/auth/session'),
    await slowBody(null, '/auth/session'),
    await beginBody(null, { path: '/auth/session' }),
  ];
  await closed(oldest as Client);
  expect([ada, ...rest].every(({ isClosed }) => !isClosed())).toBe(true);
});

test('a body that was read frees its bytes', async () => {
  await start(() => idle);
  const first = await slowBody('ada');
  await endBody(first);
  await until(
    async () => api.heldBytes(),
    (held) => held === 0,
  );
  const more = [await slowBody('ada'), await slowBody('ada'), await slowBody('ada')];
  expect([first, ...more].every(({ isClosed }) => !isClosed())).toBe(true);
});

test('a body longer than all bytes of its user is read to its end', async () => {
  await start(() => idle, { requests, bytes: nothing });
  expect(await endBody(await beginBody('ada'))).toBe('500');
});

test('several long bodies of one user are read one after the other', async () => {
  await start(() => idle, { requests, bytes: { ...bytes, ofHolder: 1_000, slowAfterMs: 60_000 } });
  const clients = [await beginBody('ada'), await beginBody('ada'), await beginBody('ada')];
  expect(await Promise.all(clients.map(endBody))).toEqual(['500', '500', '500']);
});

test('bytes that were declared and did not arrive cost nothing', async () => {
  await start(() => ({ status: 200, body: [] }), { requests, bytes: nothing });
  const declared = { length: 30_000, first: FREE };
  const bodies = [];
  for (let nth = 0; nth < 10; nth += 1) bodies.push(await beginBody('ada', declared));
  expect(api.heldBytes()).toBe(0);
  expect(await get('ada')).toBe(200);
  expect(bodies.every(({ isClosed }) => !isClosed())).toBe(true);
});

/** Waits for the response of the contract. Returns its status. */
const statusOf = (client: Client) =>
  until(
    async () => client.received(),
    (text) => text.includes('"requestId"'),
  ).then((text) => text.split('HTTP/1.1 ').at(-1)?.slice(0, 3));

test('honest sign-ins are answered among many bodies of a byte each, however they send theirs', async () => {
  await start(() => idle, { requests, bytes: nothing });
  const slow = [];
  for (let nth = 0; nth < 60; nth += 1)
    slow.push(await beginBody(null, { path: '/auth/session', first: 1, length: 1_000 }));
  const body = bodyOf(500);
  const head =
    'POST /auth/session HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n';
  for (let nth = 0; nth < 5; nth += 1) {
    const inOne = open();
    inOne.socket.write(head + body);
    const inTwo = open();
    inTwo.socket.write(head);
    setTimeout(() => inTwo.socket.write(body), 30);
    const fetched = fetch(`${api.url}/auth/session`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    // The body is not the one of a sign-in, so the contract refuses it after it was read.
    expect([await statusOf(inOne), await statusOf(inTwo), String((await fetched).status)]).toEqual([
      '400',
      '400',
      '400',
    ]);
  }
  expect(slow.every(({ isClosed }) => !isClosed())).toBe(true);
});

test('requests that are sent at once over one connection share its free bytes', async () => {
  const answer = Promise.withResolvers<typeof idle>();
  await start(() => answer.promise);
  const client = open();
  const one = [
    'POST /pix/quote HTTP/1.1',
    'Host: localhost',
    'Authorization: Bearer ada',
    'Content-Type: application/json',
    'Content-Length: 800',
  ].join('\r\n');
  client.socket.write(`${one}\r\n\r\n${bodyOf(800)}`.repeat(2));
  await until(
    async () => api.heldBytes(),
    (held) => held === 600,
  );
  answer.resolve(idle);
  await until(
    async () => api.heldBytes(),
    (held) => held === 0,
  );
  expect(client.isClosed()).toBe(false);
});

test('a body that is late gets 408, and its connection closes', async () => {
  await start(() => idle, { requests, bytes: { ...bytes, lateAfterMs: 20 } });
  const client = await beginBody('ada', { first: 1 });
  await closed(client);
  expect(client.received()).toMatch(/^HTTP\/1\.1 100 [^]*HTTP\/1\.1 408 [^]*"invalid_request"/);
  expect(client.received()).toMatch(/^connection: close\r$/im);
});

test('a body whose first bytes arrived in time is not late', async () => {
  await start(() => idle, { requests, bytes: { ...bytes, lateAfterMs: 20 } });
  const client = await slowBody('ada');
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await endBody(client)).toBe('500');
});

/** Asks for as many long answers as one connection may, and reads nothing of them. */
function askAndReadNothing(person: string): Client {
  const client = open();
  client.socket.pause();
  const request = `GET /transactions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${person}\r\n\r\n`;
  client.socket.write(request.repeat(MAX_IN_PROGRESS));
  return client;
}

const ROWS = 1_000;
/** All answers of one connection fit, and those of two do not, even if the buffers hold several megabytes of each. */
const OF_ONE_CONNECTION = 20e6;
const long = (operation: OperationId) =>
  operation === 'listTransactions' ? list(ROWS) : { status: 200, body: [] };
const patient: RequestLimits = { ...requests, waitingOfUser: 2 * MAX_IN_PROGRESS, waitMs: 300_000 };

test('answers that their client does not read occupy no turn', async () => {
  await start(long, {
    requests: { ...patient, ofAll: 1 },
    bytes: { ...bytes, ofHolder: 1e9, ofAll: 1e9 },
  });
  askAndReadNothing('ada');
  await until(
    async () => api.heldBytes(),
    (held) => held > 0,
  );
  expect(await get('bea')).toBe(200);
  expect(api.heldBytes()).toBeGreaterThan(0);
});

test('answers that their client does not read close the user’s oldest connection when they exceed the user’s bytes', async () => {
  await start(long, { requests: patient, bytes: { ...bytes, ofHolder: OF_ONE_CONNECTION, ofAll: 1e9 } });
  const oldest = askAndReadNothing('ada');
  await until(
    async () => api.heldBytes(),
    (held) => held > 0,
  );
  askAndReadNothing('ada');
  // A paused socket does not notice that its connection was closed.
  await until(
    async () => {
      oldest.socket.resume();
      return oldest.isClosed();
    },
    (isClosed) => isClosed,
  );
  expect(oldest.received().split('HTTP/1.1 200').length).toBeLessThan(MAX_IN_PROGRESS + 1);
});

test('a client that does not read its answers loses its connection to a newcomer', async () => {
  // Half of the connections may come from one address.
  await start(long, { requests: patient, bytes: { ...bytes, ofHolder: 1e9, ofAll: 1e9 }, connections: 4 });
  const unread: Client[] = [];
  for (const person of ['ada', 'bea']) {
    const before = api.heldBytes();
    unread.push(askAndReadNothing(person));
    await until(
      async () => api.heldBytes(),
      (held) => held > before,
    );
  }
  expect(
    await until(
      () => get('cem').catch(() => 0),
      (status) => status === 200,
    ),
  ).toBe(200);
  for (const { socket } of unread) socket.resume();
  await until(
    async () => unread.some(({ isClosed }) => isClosed()),
    (isOneClosed) => isOneClosed,
  );
});

// Clients that send a body slowly or do not read their answer do not delay other clients. The memory that they take is limited
// for each user and for all users.
import { connect, type Socket } from 'node:net';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import type { ByteLimits } from '../../src/api/byte-budget.ts';
import type { OperationId } from '../../src/api/operation.ts';
import type { RequestLimits } from '../../src/api/request-shares.ts';
import type { Entity } from '../../src/platform/database/entities/rows.ts';
import { startBareApi } from '../support/bare-api.ts';
import { until } from '../support/until.ts';

/** Four requests run at a time. A request that has to wait is refused immediately. */
const requests: RequestLimits = {
  ofPerson: 2,
  ofRefused: 2,
  waitingOfPerson: 3,
  ofAll: 4,
  inProgress: 100,
  ofLongPages: 4,
  waitMs: 1,
  refusedAfterMs: 1,
};
const BODY = 1_000;
/** One user may have three slow bodies, and all users may have five. */
const bytes: ByteLimits = {
  ofRequest: 500,
  ofPerson: 3 * (BODY + 500),
  ofStrangers: 2 * (BODY + 500),
  ofAll: 5 * (BODY + 500),
  waitingOfPerson: 1,
  slowAfterMs: 5,
  waitMs: 300_000,
};

const idle = { status: 200, body: { status: 'ok' } };
const list = (rows: number) => ({ status: 200, body: Array.from({ length: rows }, () => transaction) });
const transaction = {
  id: '019ab000-0000-7000-8000-000000000001',
  type: 'deposit',
  status: 'completed',
  sourceCurrency: 'GBP',
  sourceAmount: 100,
  destCurrency: null,
  destAmount: null,
  fxRate: null,
  provider: 'sandbox',
  failureReason: null,
  failureCode: null,
  pixPaymentId: null,
  createdAt: '2026-11-23T10:00:00.000Z',
  completedAt: '2026-11-23T10:00:00.000Z',
};

let api: Awaited<ReturnType<typeof startBareApi>>;
afterEach(() => api.stop());

/** Starts the API. Each token is the id of its user. */
const start = async (act: (operation: OperationId) => unknown, limits = { requests, bytes }) => {
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

type Client = { socket: Socket; received: () => string; isClosed: () => boolean };

function open(): Client {
  const { hostname, port } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  let text = '';
  let isClosed = false;
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    text += chunk.toString();
  });
  socket.once('close', () => {
    isClosed = true;
  });
  onTestFinished(() => void socket.destroy());
  return { socket, received: () => text, isClosed: () => isClosed };
}

/** Sends a request without its body. Resolves when the service asks for the body. */
async function beginBody(person: string | null, path = '/pix/quote'): Promise<Client> {
  const client = open();
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    ...(person === null ? [] : [`Authorization: Bearer ${person}`]),
    'Content-Type: application/json',
    `Content-Length: ${BODY}`,
    'Expect: 100-continue',
  ];
  client.socket.write(`${head.join('\r\n')}\r\n\r\n`);
  await until(
    async () => client.received() !== '' || client.isClosed(),
    (hasBegun) => hasBegun,
  );
  return client;
}

const endBody = async ({ socket, received }: Client): Promise<string> => {
  socket.write(JSON.stringify({ amountBrl: 20 }).padEnd(BODY));
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
  let asked = 0;
  await start(() => {
    asked += 1;
    return idle;
  });
  const client = await beginBody('ada');
  expect(asked).toBe(0);
  // The contract has no such answer, so it becomes a 500. The handler has run.
  expect([await endBody(client), asked]).toEqual(['500', 1]);
});

test('a slow body beyond a user’s bytes closes the connection of their oldest one', async () => {
  await start(() => idle);
  const other = await beginBody('bea');
  const [oldest, ...rest] = [await beginBody('ada'), await beginBody('ada'), await beginBody('ada')];
  expect(oldest.isClosed()).toBe(false);
  const last = await beginBody('ada');
  await closed(oldest);
  expect([other, ...rest, last].map(({ isClosed }) => isClosed())).toEqual([false, false, false, false]);
});

test('slow bodies beyond the bytes of all users close the oldest one of the user who has the most', async () => {
  await start(() => idle);
  const cem = await beginBody('cem');
  const [oldest, ...rest] = [await beginBody('ada'), await beginBody('ada'), await beginBody('ada')];
  const others = [await beginBody('bea'), await beginBody('dea')];
  await closed(oldest);
  expect([cem, ...rest, ...others].every(({ isClosed }) => !isClosed())).toBe(true);
});

test('slow bodies of callers without a session close each other’s connections, and no user’s', async () => {
  await start(() => idle);
  const ada = await beginBody('ada');
  const [oldest, ...rest] = [
    await beginBody(null, '/auth/session'),
    await beginBody(null, '/auth/session'),
    await beginBody(null, '/auth/session'),
  ];
  await closed(oldest);
  expect([ada, ...rest].every(({ isClosed }) => !isClosed())).toBe(true);
});

test('a body that was read frees its bytes', async () => {
  await start(() => idle);
  const first = await beginBody('ada');
  await endBody(first);
  const more = [await beginBody('ada'), await beginBody('ada'), await beginBody('ada')];
  expect([first, ...more].every(({ isClosed }) => !isClosed())).toBe(true);
});

/** The number of rows whose answer is larger than the buffers between two sockets of one machine. */
const ROWS = 60_000;

/** Asks for a long answer and reads nothing of it. */
function askAndReadNothing(person: string): Client {
  const client = open();
  client.socket.pause();
  client.socket.write(
    `GET /transactions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${person}\r\n\r\n`,
  );
  return client;
}

test('an answer that its client does not read occupies no turn', async () => {
  let answered = 0;
  await start(
    (operation) => {
      if (operation !== 'listTransactions') return { status: 200, body: [] };
      answered += 1;
      return list(ROWS);
    },
    { requests: { ...requests, ofAll: 1 }, bytes: { ...bytes, ofPerson: 1e9, ofAll: 1e9 } },
  );
  askAndReadNothing('ada');
  await until(
    async () => answered,
    (count) => count === 1,
  );
  expect(
    await until(
      () => get('bea'),
      (status) => status === 200,
    ),
  ).toBe(200);
});

test('an answer that its client does not read is closed when the user’s answers exceed their bytes', async () => {
  let answered = 0;
  await start((operation) => {
    if (operation !== 'listTransactions') return { status: 200, body: [] };
    answered += 1;
    return list(ROWS);
  });
  const both = [askAndReadNothing('ada'), askAndReadNothing('ada')];
  await until(
    async () => answered,
    (count) => count === 2,
  );
  // Bea is served after both of Ada's requests were answered.
  expect(await get('bea')).toBe(200);
  // A paused socket does not notice that its connection was closed.
  for (const { socket } of both) socket.resume();
  await until(
    async () => both.some(({ isClosed }) => isClosed()),
    (isOneClosed) => isOneClosed,
  );
  expect(both.every(({ received }) => received().endsWith(']'))).toBe(false);
});

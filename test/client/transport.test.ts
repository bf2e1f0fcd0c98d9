// The client on an unreliable network and server: real HTTP, and a server that behaves as each test configures.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { all } from '../../harness/people/all.ts';
import { freePort } from '../../harness/processes/free-port.ts';
import {
  createPonte,
  type Me,
  type PixPayment,
  type PixPaymentRequest,
  PonteError,
  PonteUnreachable,
  requestIdOf,
} from '../../packages/client/src/index.ts';
import { nextCursor } from '../../packages/client/src/pages.ts';
import { requiredFields } from '../../packages/client/src/required-fields.ts';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

let server: Server;
let answers: Answer[];
let requests: { key: string | undefined; language: string | undefined; body: string }[];
const baseUrl = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

beforeEach(async () => {
  answers = [];
  requests = [];
  server = createServer((request, response) => void take(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const answer = answers[requests.length] ?? json(200, withdrawal);
  const { 'idempotency-key': key, 'accept-language': language } = request.headers;
  requests.push({ key: key as string | undefined, language, body: await textOf(request) });
  answer(response, request);
}

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body));
const reset: Answer = (_response, request) => void request.socket.destroy();
const text =
  (status: number, body: string, type: string): Answer =>
  (response) =>
    void response.writeHead(status, { 'content-type': type }).end(body);
const ID = '0198c2f5-0c6f-7b8e-8f21-5e0b7a1d9c46';
const withdrawal = { ...fieldsOf('Withdraw'), id: ID, status: 'settling' };
const payment = { ...fieldsOf('PixPayment'), id: ID, status: 'paying' };
const transaction = {
  ...fieldsOf('Transaction'),
  id: ID,
  status: 'pending',
  completedAt: null,
  failureReason: null,
};
const me = fieldsOf('Me');
const away = { error: 'Please wait.', code: 'unavailable', requestId: 'r' };

test('the client asks for sentences in its language, unless a call names another one', async () => {
  answers = [reset, json(200, me), json(200, me), json(200, me)];
  const ponte = createPonte({ baseUrl: baseUrl(), language: 'pt-BR' });
  await ponte.me();
  await ponte.me({ headers: { 'Accept-Language': 'en' } });
  await createPonte({ baseUrl: baseUrl() }).me();
  // Node’s own fetch names no language.
  expect(requests.map(({ language }) => language)).toEqual(['pt-BR', 'pt-BR', 'en', '*']);
});

test('the client repeats the identical request under the same key until there is an answer', async () => {
  answers = [reset, json(503, away), json(201, withdrawal)];
  expect(await createPonte({ baseUrl: baseUrl() }).withdraw(1_000)).toEqual(withdrawal);
  expect(requests.map(({ body }) => body)).toEqual(Array(3).fill('{"amount":1000}'));
  expect(new Set(requests.map(({ key }) => key)).size).toBe(1);
  expect(requests[0]?.key).toMatch(/^[\da-f-]{36}$/);
});

const missing = { error: 'We could not find that.', code: 'not_found', requestId: 'r' };
const empty =
  (headers: Record<string, string>): Answer =>
  (response) =>
    void response.writeHead(204, headers).end();

test('a recipient that a lost try has removed is removed', async () => {
  answers = [reset, json(404, missing)];
  expect(await createPonte({ baseUrl: baseUrl() }).removeRecipient(ID)).toBeUndefined();
  answers = [...answers, json(404, missing)];
  await expect(createPonte({ baseUrl: baseUrl() }).removeRecipient(ID)).rejects.toMatchObject({
    code: 'not_found',
  });
});

test('an empty answer is one of Ponte only with its request id', async () => {
  const ponte = createPonte({ baseUrl: baseUrl(), tries: 1 });
  answers = [empty({ 'x-request-id': 'r' }), empty({}), json(200, {})];
  expect(await ponte.removeRecipient(ID)).toBeUndefined();
  await expect(ponte.removeRecipient(ID)).rejects.toBeInstanceOf(PonteUnreachable);
  await expect(ponte.removeRecipient(ID)).rejects.toBeInstanceOf(PonteUnreachable);
});

test.each([
  [429, 'too_many_requests'],
  [503, 'overloaded'],
])('the client repeats a request that was refused with %i %s after a pause', async (status, code) => {
  answers = [json(status, { ...away, code }, { 'retry-after': '1' }), json(201, withdrawal)];
  expect(await createPonte({ baseUrl: baseUrl() }).withdraw(1_000)).toEqual(withdrawal);
  expect(new Set(requests.map(({ key }) => key)).size).toBe(1);
  expect(requests).toHaveLength(2);
});

test('the client does not repeat a look-up for which no token is left, because tokens take minutes', async () => {
  answers = [json(429, { ...away, code: 'lookup_budget_spent' }, { 'retry-after': '600' })];
  const ponte = createPonte({ baseUrl: baseUrl() });
  const looking = ponte.lookUpRecipient({ pixKey: '52998224725', pixKeyType: 'cpf' });
  await expect(looking).rejects.toMatchObject({ code: 'lookup_budget_spent', mayHaveActed: false });
  expect(requests).toHaveLength(1);
});

test('the client does not repeat a check of a name, because the user has waited, and keeps the check', async () => {
  answers = [json(502, { ...away, code: 'name_check_unavailable', checkId: ID })];
  const checking = createPonte({ baseUrl: baseUrl() }).checkBankDetails({ currency: 'GBP' });
  await expect(checking).rejects.toMatchObject({
    code: 'name_check_unavailable',
    checkId: ID,
    mayHaveActed: false,
  });
  expect(requests).toHaveLength(1);
});

test('each call has its own key', async () => {
  const ponte = createPonte({ baseUrl: baseUrl() });
  await Promise.all([ponte.withdraw(1), ponte.withdraw(1)]);
  expect(new Set(requests.map(({ key }) => key)).size).toBe(2);
});

test('the client reports after its tries that the server is unreachable', async () => {
  answers = [reset, reset];
  await expect(createPonte({ baseUrl: baseUrl(), tries: 2 }).me()).rejects.toBeInstanceOf(PonteUnreachable);
  expect(requests).toHaveLength(2);
});

test('the client passes on the last refusal', async () => {
  answers = [json(503, away), json(503, away)];
  await expect(createPonte({ baseUrl: baseUrl(), tries: 2 }).me()).rejects.toMatchObject({
    status: 503,
    code: 'unavailable',
    message: 'Please wait.',
    requestId: 'r',
  });
});

test('the client does not repeat a refusal that would be the same again', async () => {
  answers = [json(422, { ...away, code: 'insufficient_funds' })];
  await expect(createPonte({ baseUrl: baseUrl() }).withdraw(1)).rejects.toMatchObject({
    code: 'insufficient_funds',
  });
  expect(requests).toHaveLength(1);
});

test('the client waits for a server that never answers only until the time-out', async () => {
  answers = [() => undefined];
  const ponte = createPonte({ baseUrl: baseUrl(), tries: 1, timeoutMs: 200 });
  await expect(ponte.me()).rejects.toBeInstanceOf(PonteUnreachable);
});

test('the client tolerates codes and states that it does not know', async () => {
  answers = [
    json(418, { ...away, code: 'from_the_future' }),
    json(200, { ...payment, status: 'from_the_future' }),
  ];
  const ponte = createPonte({ baseUrl: baseUrl() });
  await expect(ponte.me()).rejects.toMatchObject({ status: 418, code: 'from_the_future' });
  const seen = await ponte.waitForPayment(ID, { forMs: 0 });
  expect(seen.status).toBe('from_the_future');
});

test.each([
  ['completed', { status: 'completed' }],
  ['failed', { status: 'failed', failureReason: 'x' }],
  [
    'of a status that the client does not know, and completed',
    { status: 'new', completedAt: '2026-03-02T12:00:00.000Z' },
  ],
])('a wait for a payment of an unknown status ends if its transaction is %s', async (_what, ended) => {
  const unknown = json(200, { ...payment, transactionId: ID, status: 'from_the_future' });
  answers = [unknown, json(200, transaction), unknown, json(200, { ...transaction, ...ended })];
  const seen = await createPonte({ baseUrl: baseUrl() }).waitForPayment(ID);
  expect([seen.status, requests.length]).toEqual(['from_the_future', 4]);
});

test('a wait for a payment under way does not ask for its transaction', async () => {
  answers = [json(200, { ...payment, status: 'paying' }), json(200, { ...payment, status: 'completed' })];
  expect((await createPonte({ baseUrl: baseUrl() }).waitForPayment(ID)).status).toBe('completed');
  expect(requests).toHaveLength(2);
});

test.each(['', '.', '..'])('the id %j is an error of the program, and nothing is sent', async (id) => {
  const ponte = createPonte({ baseUrl: baseUrl() });
  for (const call of [ponte.payment, ponte.transaction, ponte.retryPayment, ponte.waitForPayment])
    await expect(call(id)).rejects.toBeInstanceOf(TypeError);
  expect(requests).toEqual([]);
});

test.each([
  'api.example.com',
  'localhost:3000',
  '127.0.0.1:3000',
  'ftp://api.example.com',
  'https:api.example.com',
])('the address %s is an error of the program', async (address) => {
  await expect(createPonte({ baseUrl: address }).me()).rejects.toBeInstanceOf(TypeError);
});

test('the types leave the enumerations of answers open, and those of requests closed', () => {
  // The compiler checks these lines.
  const status: PixPayment['status'] = 'from_the_future';
  const failureCode: PixPayment['failureCode'] = 'from_the_future';
  const balance: Me['balance'] = { amount: 1, currency: 'BRL' };
  // @ts-expect-error A request may hold only what this version knows.
  const pixKeyType: PixPaymentRequest['pixKeyType'] = 'from_the_future';
  expect([status, failureCode, balance.currency, pixKeyType]).toHaveLength(4);
});

test.each([
  ['a gateway that is down', text(502, '<h1>Bad gateway</h1>', 'text/html')],
  ['a gateway with JSON of its own', json(403, { message: 'Forbidden' })],
  ['an address without the API', text(404, '<h1>Nothing</h1>', 'text/html')],
  ['a captive portal', text(200, '<h1>Accept our terms</h1>', 'text/html')],
  ['a captive portal with JSON', json(200, { loggedIn: false })],
  ['a list of something else', json(200, [{ id: ID }])],
  ['a success without a body', text(200, '', 'application/json')],
  ['half a JSON', text(200, '{"id":', 'application/json')],
])(
  'the client treats the answer of %s as unusable, for a single object and for a list',
  async (_who, answer) => {
    const ponte = createPonte({ baseUrl: baseUrl(), tries: 1 });
    answers = [answer, answer];
    const faults = [ponte.me(), all(ponte.transactions())].map((call) =>
      call.catch((fault: unknown) => fault),
    );
    for (const fault of await Promise.all(faults)) {
      expect(fault).toBeInstanceOf(PonteUnreachable);
      expect(fault).toMatchObject({ cause: expect.any(Error) as Error });
      expect(String(fault)).not.toMatch(/answered|\d{3}/);
    }
  },
);

test('the client repeats a request whose answer breaks off', async () => {
  answers = [
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"user":', () => response.socket?.destroy());
    },
    json(200, me),
  ];
  expect(await createPonte({ baseUrl: baseUrl() }).me()).toEqual(me);
});

test.each([
  ['a refusal that promises that nothing happened', [json(503, { ...away, code: 'overloaded' })], false],
  ['a refusal that decides', [json(422, { ...away, code: 'insufficient_funds' })], false],
  ['a failure of the server', [json(500, { ...away, code: 'internal_error' })], true],
  ['a refusal after a lost answer', [reset, json(429, { ...away, code: 'too_many_requests' })], true],
  ['a refusal after a gateway’s answer', [text(504, '', 'text/html'), json(422, away)], true],
  [
    'a refusal after two that promise that nothing happened',
    [json(502, { ...away, code: 'provider_unavailable' }), json(429, { ...away, code: 'too_many_requests' })],
    false,
  ],
])(
  'the error after %s says whether the withdrawal may have been made, and contains its key',
  async (_what, replies, may) => {
    answers = replies;
    const ponte = createPonte({ baseUrl: baseUrl(), tries: replies.length });
    const error = await ponte.withdraw(1_000).catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(PonteError);
    expect(error).toMatchObject({ mayHaveActed: may, idempotencyKey: requests[0]?.key });
  },
);

test.each([
  [409, 'account_not_active', true],
  [422, 'insufficient_funds', true],
  [401, 'unauthorized', false],
  [429, 'too_many_requests', false],
  [500, 'internal_error', false],
  [502, 'provider_unavailable', false],
])('the error for %i %s says whether Ponte has decided: %s', async (status, code, isDefinitive) => {
  answers = [json(status, { ...away, code })];
  const ponte = createPonte({ baseUrl: baseUrl(), tries: 1 });
  await expect(ponte.withdraw(1_000)).rejects.toMatchObject({ isDefinitive });
});

test('the client throws a fault of the program unchanged', async () => {
  const fault = new TypeError('this platform lacks something');
  const broken = (): never => {
    throw fault;
  };
  await expect(createPonte({ baseUrl: baseUrl(), fetch: broken }).me()).rejects.toBe(fault);
  await expect(createPonte({ baseUrl: 'no address' }).me()).rejects.toBeInstanceOf(TypeError);
  await expect(createPonte({ baseUrl: baseUrl(), randomKey: broken }).withdraw(1)).rejects.toBe(fault);
  expect(requests).toEqual([]);
});

test('the client reads the next page of a list by the address that came with the page', async () => {
  const link = { link: '</withdraws?limit=1&cursor=a%2Bb>; rel="next"' };
  answers = [json(200, [withdrawal], link), json(200, [withdrawal])];
  expect(await all(createPonte({ baseUrl: baseUrl() }).withdraws({ pageSize: 1 }))).toHaveLength(2);
});

test("the client stops waiting when the app says so, with the app's reason", async () => {
  answers = [json(200, payment)];
  const leaving = new Error('the screen was left');
  const screen = new AbortController();
  const waiting = createPonte({ baseUrl: baseUrl() }).waitForPayment(ID, {
    signal: screen.signal,
    onChange: () => screen.abort(leaving),
  });
  await expect(waiting).rejects.toBe(leaving);
  expect(requests).toHaveLength(1);
});

test('the client sends nothing again once the app has given up', async () => {
  const leaving = new Error('the screen was left');
  const screen = new AbortController();
  answers = [() => screen.abort(leaving)];
  const { signal } = screen;
  await expect(createPonte({ baseUrl: baseUrl() }).api.GET('/me', { signal })).rejects.toBe(leaving);
  expect(requests).toHaveLength(1);
});

test('the error says what is missing if nothing is listening', async () => {
  const nowhere = createPonte({ baseUrl: `http://127.0.0.1:${await freePort()}`, tries: 1 });
  await expect(nowhere.me()).rejects.toMatchObject({ name: 'PonteUnreachable', cause: expect.any(Error) });
});

test.each([
  [null, undefined],
  ['</transactions?limit=1&cursor=a%2Bb>; rel="next"', 'a+b'],
  ['</transactions>; rel="prev", </transactions?cursor=c>; rel=next', 'c'],
  ['</transactions?limit=1>; rel="next"', undefined],
])('the cursor after the link %s is %s', (link, cursor) => {
  expect(nextCursor(link)).toBe(cursor);
});

/** An answer with every field that the contract promises. */
function fieldsOf(name: keyof typeof requiredFields): Record<string, unknown> {
  return Object.fromEntries(requiredFields[name].map((field) => [field, null]));
}

test('a call sends its own headers, and keeps those that the client sets', async () => {
  let sent: IncomingMessage['headers'] = {};
  answers = [
    (response, request) => {
      sent = request.headers;
      json(200, withdrawal)(response, request);
    },
  ];
  const headers = { 'x-request-id': 'mine-1', authorization: 'Bearer other', 'idempotency-key': 'other' };
  const ponte = createPonte({ baseUrl: baseUrl(), sessionToken: 'session' });
  await ponte.withdraw(1, { headers, idempotencyKey: 'key' });
  expect(sent).toMatchObject({
    'x-request-id': 'mine-1',
    authorization: 'Bearer session',
    'idempotency-key': 'key',
  });
});

test('the time-out of a call replaces that of the client', async () => {
  answers = [() => undefined];
  const ponte = createPonte({ baseUrl: baseUrl(), tries: 1, timeoutMs: 300_000 });
  const error = await ponte.withdraw(1, { timeoutMs: 50 }).catch((fault: unknown) => fault);
  expect(error).toMatchObject({
    name: 'PonteUnreachable',
    cause: { message: expect.stringContaining('50 ms') },
  });
});

test('a call ends at its time-out and with its signal if fetch never settles', async () => {
  const ponte = createPonte({ baseUrl: baseUrl(), tries: 1, fetch: () => new Promise(() => undefined) });
  await expect(ponte.me({ timeoutMs: 50 })).rejects.toMatchObject({
    name: 'PonteUnreachable',
    cause: { message: expect.stringContaining('50 ms') },
  });
  const leaving = new AbortController();
  const answer = ponte.me({ signal: leaving.signal });
  setTimeout(() => leaving.abort(new Error('the screen was closed')), 50);
  await expect(answer).rejects.toThrow('the screen was closed');
});

test('a call ends at its time-out after a garbage collection', async () => {
  answers = [() => undefined];
  setFlagsFromString('--expose-gc');
  const collecting = setInterval(runInNewContext('gc') as () => void, 10);
  const ponte = createPonte({ baseUrl: baseUrl(), tries: 1, timeoutMs: 200 });
  await expect(ponte.me()).rejects.toThrow(PonteUnreachable);
  clearInterval(collecting);
});

test('a call ends with the reason of its signal, and so do the looks of a wait', async () => {
  const leaving = new AbortController();
  const leave: Answer = () => leaving.abort(new Error('the screen was closed'));
  const ponte = createPonte({ baseUrl: baseUrl() });
  const { signal } = leaving;
  answers = [leave];
  await expect(ponte.me({ signal })).rejects.toThrow('the screen was closed');
  await expect(ponte.waitForPayment(ID, { signal })).rejects.toThrow('the screen was closed');
  await expect(all(ponte.payments({ signal }))).rejects.toThrow('the screen was closed');
  expect(requests).toHaveLength(1);
});

test('the hooks see every try, with the number that support asks for and without secrets', async () => {
  answers = [reset, text(502, 'Bad Gateway', 'text/html'), json(200, withdrawal, { 'x-request-id': 'r-7' })];
  const events: object[] = [];
  const ponte = createPonte({
    baseUrl: baseUrl(),
    sessionToken: 'secret-session',
    onRequest: (event) => events.push(event),
    onResponse: (event) => events.push(event),
  });
  await ponte.withdraw(1);
  const request = { method: 'POST', url: `${baseUrl()}/withdraws` };
  const durationMs = expect.any(Number);
  expect(events).toEqual([
    { ...request, attempt: 1 },
    { ...request, attempt: 1, status: null, requestId: null, durationMs },
    { ...request, attempt: 2 },
    { ...request, attempt: 2, status: 502, requestId: null, durationMs },
    { ...request, attempt: 3 },
    { ...request, attempt: 3, status: 200, requestId: 'r-7', durationMs },
  ]);
  expect(JSON.stringify(events)).not.toContain('secret-session');
});

const fail = (): never => {
  throw new Error('the log is full');
};

test('a hook that throws does not hide the answer', async () => {
  const ponte = createPonte({ baseUrl: baseUrl(), onRequest: fail, onResponse: fail });
  expect((await ponte.withdraw(1)).id).toBe(ID);
  expect(requests).toHaveLength(1);
});

test('an answer and the items of a list know the number of their request', async () => {
  answers = [
    json(200, withdrawal, { 'x-request-id': 'r-1' }),
    json(200, [payment, payment], { 'x-request-id': 'r-2' }),
  ];
  const ponte = createPonte({ baseUrl: baseUrl() });
  const made = await ponte.withdraw(1);
  expect(requestIdOf(made)).toBe('r-1');
  expect(requestIdOf({ ...made })).toBeNull();
  expect((await all(ponte.payments())).map(requestIdOf)).toEqual(['r-2', 'r-2']);
});

test('an account is closed without a question unless the app asks for one', async () => {
  const asks: (string | undefined)[] = [];
  const close: Answer = (response, request) => {
    asks.push(request.url);
    json(200, { ...fieldsOf('AccountClosure') })(response, request);
  };
  answers = [close, close];
  const ponte = createPonte({ baseUrl: baseUrl() });
  await ponte.closeAccount();
  await ponte.closeAccount({ unlessMoneyIsLeft: true });
  expect(asks).toEqual(['/me', '/me?unlessMoneyIsLeft=true']);
});

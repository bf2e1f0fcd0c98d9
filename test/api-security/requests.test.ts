// Requests that no honest client sends. Each is refused in the format of the service or has no effect, and no other client is
// affected.
import { expect, test } from 'vitest';
import { pay, quote, reaches } from '../support/person.ts';
import { useWorld } from '../support/use-world.ts';
import { beside } from './beside.ts';
import { oddAddresses } from './corpus.ts';
import { ask, codeIn, say, withoutDate } from './raw.ts';

const { world, ada } = useWorld({ deposit: '100.00' });

const byAda = () => ({ authorization: `Bearer ${ada.token}` });

type Told = { status: number; head: string; code: unknown; ids: (string | undefined)[] };

/** The first answer to these bytes. The test ends the connection. */
async function answerTo(bytes: string | Buffer): Promise<Told> {
  const heard = await say(world, bytes, isWhole);
  const [head = '', body = ''] = heard.split('\r\n\r\n');
  const { code, requestId } = JSON.parse(body || '{}') as Record<string, string>;
  const [, status = '0'] = /^HTTP\/1\.1 (\d+) /.exec(head) ?? [];
  return { status: Number(status), head, code, ids: [/^x-request-id: (.*)$/im.exec(head)?.[1], requestId] };
}

function isWhole(heard: string): boolean {
  const [head = '', body] = heard.split('\r\n\r\n');
  const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
  return body !== undefined && body.length >= length;
}

const get = (path: string, ...headers: string[]): string =>
  [`GET ${path} HTTP/1.1`, 'host: x', 'connection: close', ...headers, '', ''].join('\r\n');
const post = (path: string, body: string, ...headers: string[]): string =>
  [
    `POST ${path} HTTP/1.1`,
    'host: x',
    'connection: close',
    'content-type: application/json',
    ...headers,
    '',
    body,
  ].join('\r\n');
const latin = (text: string): Buffer => Buffer.from(text, 'latin1');

test.each(oddAddresses)('the address %s is answered with %i', async (path, status) => {
  const told = await answerTo(latin(get(path, `authorization: Bearer ${ada.token}`)));
  expect(told.status).toBe(status);
  expect(told.code).toBe(status === 404 ? 'not_found' : 'invalid_request');
  expect(told.head).not.toMatch(/^(x-evil|set-cookie|location):/im);
});

test.each([
  ['in full', (url: string) => `${url}/transactions?limit=1`],
  ['of another host', () => 'http://evil.example/transactions?limit=1'],
])('an address %s is read as what comes after the host', async (_what, write) => {
  const told = await answerTo(get(write(world.url), `authorization: Bearer ${ada.token}`));
  expect(told.status).toBe(200);
  expect(told.head).not.toContain('evil');
});

const health = async () =>
  withoutDate(await ask(world, 'GET', '/health', { headers: { 'x-request-id': 'same' } }));
const withTwoTokens = (first: string, second: string): Promise<Told> =>
  answerTo(get('/me', `authorization: Bearer ${first}`, `authorization: Bearer ${second}`));
const nonsense = () => Promise.all(Array.from({ length: 100 }, () => say(world, 'hello\r\n\r\n')));

test.each([
  ['host', 'evil.example'],
  ['x-forwarded-host', 'evil.example'],
  ['x-forwarded-proto', 'javascript'],
  ['x-forwarded-for', '127.0.0.1'],
  ['forwarded', 'for=127.0.0.1;host=evil.example'],
  ['x-original-url', '/me'],
  ['x-rewrite-url', '/me'],
  ['x-http-method-override', 'DELETE'],
  ['x-method-override', 'DELETE'],
  ['cookie', `session=${'x'.repeat(8_000)}`],
  ['accept', 'text/html'],
  ['accept-language', `${'x-y;q=0.1,'.repeat(500)}de`],
  ['accept-encoding', 'gzip, br'],
  ['range', 'bytes=0-0'],
  ['if-none-match', '*'],
  ['if-modified-since', 'Sat, 01 Jan 2050 00:00:00 GMT'],
  ['upgrade', 'websocket'],
  ['origin', 'https://evil.example'],
  ['te', 'trailers'],
  ['content-encoding', 'gzip'],
  ['__proto__', 'x'],
  ['constructor', 'x'],
])('the header %s: %s changes nothing', async (name, value) => {
  const headers = { 'x-request-id': 'same', [name]: value };
  expect(withoutDate(await ask(world, 'GET', '/health', { headers }))).toEqual(await health());
  const overridden = await ask(world, 'POST', '/me', { headers: { ...byAda(), [name]: value } });
  expect(codeIn(overridden)).toEqual([405, 'method_not_allowed', '/method']);
});

const broken: [string, string, number][] = [
  ['a value over two lines', get('/health', 'x-request-id: a\r\n set-cookie: x=y'), 400],
  ['a bare CR in a value', get('/health', 'x-request-id: a\rx-evil: 1'), 400],
  ['U+0000 in a value', get('/health', 'x-request-id: a\u0000b'), 400],
  ['a space in a name', get('/health', 'x request: a'), 400],
  ['a space behind a name', get('/health', 'authorization : x'), 400],
  ['no name', get('/health', ': x'), 400],
  ['no colon', get('/health', 'authorization'), 400],
  ['letters outside ASCII in a name', get('/health', 'x-\u00e9: x'), 400],
  ['a header that is too long', get('/health', `x: ${'a'.repeat(20_000)}`), 431],
  ['a name that is too long', get('/health', `${'a'.repeat(20_000)}: x`), 431],
  ['too many headers', get('/health', ...Array.from({ length: 5_000 }, (_, place) => `x${place}: 1`)), 431],
  ['no host', 'GET /health HTTP/1.1\r\nconnection: close\r\n\r\n', 400],
  ['two hosts', get('/health', 'host: evil.example'), 400],
  ['one host, twice', 'GET /health HTTP/1.1\r\nhost: x\r\nHOST: x\r\nconnection: close\r\n\r\n', 400],
  ['two hosts, by HTTP/1.0', 'GET /health HTTP/1.0\r\nhost: x\r\nhost: y\r\n\r\n', 400],
  ['an expectation that cannot be met', get('/health', 'expect: a miracle'), 417],
  ['no HTTP', 'hello\r\n\r\n', 400],
  ['another protocol', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ['an unknown version', 'GET /health HTTP/9.9\r\nhost: x\r\n\r\n', 400],
  ['no version', 'GET /health\r\n\r\n', 400],
  ['the beginning of TLS', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003', 400],
  ['a negative length', post('/auth/session', '{}', 'content-length: -1'), 400],
  ['a length in words', post('/auth/session', '{}', 'content-length: two'), 400],
  ['a length beyond numbers', post('/auth/session', '{}', `content-length: ${'9'.repeat(400)}`), 400],
  ['two lengths', post('/auth/session', '{}', 'content-length: 2', 'content-length: 3'), 400],
  ['two lengths in one', post('/auth/session', '{}', 'content-length: 2, 2'), 400],
  [
    'a length and pieces',
    post('/auth/session', '0\r\n\r\n', 'content-length: 5', 'transfer-encoding: chunked'),
    400,
  ],
  ['pieces of an unknown kind', post('/auth/session', '{}', 'transfer-encoding: xchunked'), 400],
  ['pieces that are not last', post('/auth/session', '{}', 'transfer-encoding: chunked, identity'), 400],
  [
    'a piece without a length',
    post('/auth/session', 'x\r\n{}\r\n0\r\n\r\n', 'transfer-encoding: chunked'),
    400,
  ],
  [
    'a piece beyond numbers',
    post('/auth/session', `${'f'.repeat(20)}\r\n{}\r\n`, 'transfer-encoding: chunked'),
    400,
  ],
  [
    'a piece with a long extension',
    post('/auth/session', `2;${'a'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`, 'transfer-encoding: chunked'),
    413,
  ],
];
test.each(broken)(
  'a request with %s is refused in the format of the service',
  async (_what, bytes, status) => {
    const told = await answerTo(latin(bytes));
    expect([told.status, told.code]).toEqual([
      status,
      status === 413 ? 'payload_too_large' : 'invalid_request',
    ]);
    expect(told.ids[0]).toBe(told.ids[1]);
    expect(told.head).not.toMatch(/^(x-evil|set-cookie):/im);
  },
);

test.each(['%0d%0ax-evil: 1', 'a b', 'a\tb', '<b>', '\u00e9', 'a'.repeat(4_000)])(
  'a request id like %s is not repeated',
  async (id) => {
    const told = await answerTo(latin(get('/health', `x-request-id: ${id}`)));
    expect(told.status).toBe(200);
    expect(told.ids[0]).toMatch(/^[\da-f-]{36}$/);
  },
);

test('headers that come twice count once, and the first of two tokens counts', async () => {
  expect((await withTwoTokens('garbage', ada.token)).status).toBe(401);
  expect((await withTwoTokens(ada.token, 'garbage')).status).toBe(200);
});

test('many headers are read if they are short', async () => {
  const headers = Array.from({ length: 300 }, (_, place) => `x${place}: 1`);
  expect((await answerTo(get('/me', ...headers, `authorization: Bearer ${ada.token}`))).status).toBe(200);
});

test('a flood of requests on one connection does not delay other clients', async () => {
  const flood = Array.from({ length: 300 }, () => 'GET /nowhere HTTP/1.1\r\nhost: x\r\n\r\n').join('');
  const { result, served } = await beside(ada, () => say(world, `${flood}${get('/nowhere')}`));
  expect(result.match(/HTTP\/1\.1 404 /g)?.length ?? 0).toBeLessThanOrEqual(16);
  expect(served.answers).toBeGreaterThanOrEqual(3);
});

test('a flood of connections with nonsense does not delay other clients', async () => {
  const { result } = await beside(ada, nonsense);
  for (const heard of result) expect(heard).toMatch(/^HTTP\/1\.1 400 /);
});

test('a payment still succeeds after these requests', async () => {
  const id = await pay(ada, await quote(ada, 5));
  expect((await reaches(ada, id, 'completed')).status).toBe('completed');
});

// Bytes that never become a request. They are answered in the format of the service while an answer is possible, and never in
// the middle of another answer.

import { createServer as createHttpServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ErrorCode } from '../../openapi/generated/openapi.ts';
import { createClientAddresses } from '../../src/api/client-address.ts';
import { createConnections } from '../../src/api/connections.ts';
import { answerMalformedHttp } from '../../src/api/malformed-http.ts';
import { refusalsInPortuguese } from '../../src/domain/portuguese.ts';
import { refusals } from '../../src/domain/refusals.ts';

const securityHeaders = [
  'Content-Security-Policy',
  'Cross-Origin-Opener-Policy',
  'Cross-Origin-Resource-Policy',
  'Origin-Agent-Cluster',
  'Referrer-Policy',
  'Strict-Transport-Security',
  'X-Content-Type-Options',
  'X-DNS-Prefetch-Control',
  'X-Download-Options',
  'X-Frame-Options',
  'X-Permitted-Cross-Domain-Policies',
  'X-XSS-Protection',
];

const statuses: number[] = [];
let server: Server;
let port: number;

beforeAll(async () => {
  const inProgress = createConnections(
    100,
    createClientAddresses([], () => undefined),
    {
      closed: () => undefined,
      refused: () => undefined,
    },
  );
  server = createHttpServer(
    { headersTimeout: 300, requestTimeout: 300, connectionsCheckingInterval: 100 },
    inProgress.bound((request, response) => {
      if (request.url === '/begun') response.writeHead(200, { 'content-length': 10 }).write('12345');
      else if (request.url !== '/unanswered') request.resume().once('end', () => response.end('done'));
    }),
  );
  inProgress.watch(server);
  answerMalformedHttp(server, inProgress, (status) => statuses.push(status));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Sends the parts in turn. Resolves with everything that is received until the connection ends. */
const say = (...parts: string[]): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString();
    });
    socket.on('error', () => undefined);
    socket.once('close', () => resolve(received));
    const next = (): void => {
      const part = parts.shift();
      if (part !== undefined) socket.write(part, () => setTimeout(next, 50));
    };
    next();
  });

test.each([
  ['no HTTP', ['hello\r\n\r\n'], 400, 'invalid_request'],
  [
    'two lengths',
    ['POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx'],
    400,
    'invalid_request',
  ],
  [
    'a header that is too long',
    [`GET / HTTP/1.1\r\nhost: x\r\na: ${'b'.repeat(20_000)}\r\n\r\n`],
    431,
    'invalid_request',
  ],
  ['headers that do not end', ['GET / HTTP/1.1\r\nhost: x\r\n'], 408, 'invalid_request'],
  [
    'a body that does not arrive',
    ['POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\n1'],
    408,
    'invalid_request',
  ],
])('a request with %s is refused in the format of the service', async (_what, parts, status, code) => {
  const received = await say(...parts);
  const [head = '', body = ''] = received.split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(head).toMatch(/^Content-Type: application\/json/m);
  for (const name of securityHeaders) expect(head).toMatch(new RegExp(`^${name}: .`, 'm'));
  expect(head).toMatch(new RegExp(`^Content-Length: ${Buffer.byteLength(body)}$`, 'm'));
  const refusal = JSON.parse(body) as Record<string, unknown>;
  expect(refusal).toEqual({
    error: refusals[code as ErrorCode].sentence,
    code,
    requestId: expect.any(String) as unknown,
  });
  expect(head).toContain(`X-Request-Id: ${String(refusal['requestId'])}`);
  expect(statuses.at(-1)).toBe(status);
});

test.each([
  ['a body that does not arrive', ['content-length: 5\r\n\r\n1'], 408],
  ['a body in chunks that are not chunks', ['transfer-encoding: chunked\r\n\r\n', 'no number\r\n'], 400],
  [
    'an expectation that cannot be met',
    ['expect: tea\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'],
    417,
  ],
])('a request with %s is refused in the language of its reader', async (_what, [first, ...rest], status) => {
  const begin = 'POST /unanswered HTTP/1.1\r\nhost: x\r\naccept-language: pt-BR\r\n';
  const received = await say(begin + first, ...rest);
  const [head = '', body = ''] = received.split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(head).toMatch(/^Content-Language: pt-BR$/m);
  expect(head).toMatch(/^Vary: Accept-Language$/m);
  expect(JSON.parse(body)).toMatchObject({ error: refusalsInPortuguese.invalid_request });
  expect(head).toMatch(new RegExp(`^Content-Length: ${Buffer.byteLength(body)}$`, 'm'));
});

test('headers that do not end name no language, so their refusal is in English', async () => {
  const received = await say('GET / HTTP/1.1\r\nhost: x\r\naccept-language: pt-BR\r\n');
  expect(received).toMatch(/^HTTP\/1.1 408 [^]*^Content-Language: en$/m);
  expect(received).toContain(refusals.invalid_request.sentence);
});

test('malformed bytes in the middle of an answer are not answered', async () => {
  const before = statuses.length;
  const received = await say('GET /begun HTTP/1.1\r\nhost: x\r\n\r\n', 'hello\r\n\r\n');
  expect(received).toMatch(/12345$/);
  expect(received.match(/HTTP\/1.1/g)).toHaveLength(1);
  expect(statuses).toHaveLength(before);
});

test.each([
  ['while an answer is sent, also when another request waits', '/begun', /12345$/, 1],
  ['behind a request that has no answer yet', '/unanswered', /^$/, 0],
])(
  'malformed bytes %s end the connection without an answer of their own',
  async (_when, path, heard, answers) => {
    const before = statuses.length;
    const received = await say(
      `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`,
      'GET /unanswered HTTP/1.1\r\nhost: x\r\n\r\n',
      'hello\r\n\r\n',
    );
    expect(received).toMatch(heard);
    expect(received.match(/HTTP\/1.1/g) ?? []).toHaveLength(answers);
    expect(statuses).toHaveLength(before);
  },
);

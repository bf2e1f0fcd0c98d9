// Faults of the service: a handler that returns a wrong answer or throws is answered with a 500 that reveals nothing, and is
// logged.
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ErrorDetail } from '../../openapi/generated/openapi.ts';
import type { Authenticate } from '../../src/api/authenticate.ts';
import { Refusal } from '../../src/domain/refusals.ts';
import { ConnectionSilent } from '../../src/platform/database/patches/answer-deadline.ts';
import { notSent, OutcomeUnknown, ProviderRefusal } from '../../src/provider/errors.ts';
import type { Entity } from '../../src/tables/rows.ts';
import { startBareApi } from '../support/bare-api.ts';
import { call, faultIn } from '../support/http.ts';

const SECRET = 'account 31926819 of Ada';
const lines: string[] = [];
let act: () => unknown;
let api: Awaited<ReturnType<typeof startBareApi>>;

const authenticate: Authenticate = async (request) => {
  if (request.headers.authorization !== 'Bearer good') throw new Error(SECRET);
  request.user = { id: '019ab000-0000-7000-8000-000000000001' } as Entity<'User'>;
};

beforeAll(async () => {
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  api = await startBareApi(() => act(), { log, authenticate });
});
afterAll(() => api.stop());
beforeEach(() => lines.splice(0));

const health = () => call(api, 'GET', '/health', { headers: { 'x-request-id': 'the-one' } });
/** This operation calls the provider, so it may fail with a 502. */
const askForQuote = () => call(api, 'POST', '/pix/quote', { token: 'good', json: { amountBrl: 10 } });
const fails = (error: unknown) => () => {
  throw error;
};

test.each([
  ['a body against the schema', () => ({ status: 200, body: { status: SECRET } })],
  ['a field too many', () => ({ status: 200, body: { status: 'ok', secret: SECRET } })],
  ['no body', () => ({ status: 200, body: undefined })],
  ['a status that is not declared', () => ({ status: 418, body: { status: 'ok' } })],
  ['a body that cannot be written', () => ({ status: 200, body: { status: 1n } })],
  ['nothing', () => undefined],
  ['an error that is not declared', fails(new Refusal('insufficient_funds'))],
  [
    'a failure of the provider in an operation that does not call it',
    fails(new OutcomeUnknown('getAccount', SECRET)),
  ],
  [
    'an error against the schema',
    fails(new Refusal('invalid_request', [{ path: '/body', message: 'x', secret: SECRET } as ErrorDetail])),
  ],
  ['an error', fails(new Error(SECRET))],
  [
    'an error that looks like the client’s',
    fails(Object.assign(new Error(SECRET), { status: 400, type: 'x' })),
  ],
  ['a thrown text', fails(SECRET)],
  ['a thrown undefined', fails(undefined)],
  ['an unforeseen refusal of the database', fails(Object.assign(new Error(SECRET), { code: '23505' }))],
])(
  'a fault is answered with a 500 that reveals nothing, and is logged under its request id: %s',
  async (_what, lie) => {
    act = lie;
    const answer = await health();
    expect(faultIn(answer)).toEqual([500, 'internal_error']);
    expect(answer.text).not.toContain(SECRET);
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({
        code: 'request.failed',
        refusal: 'internal_error',
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        clientRequestId: 'the-one',
      }),
    ]);
  },
);

test('a session that cannot be checked is answered with a 500 that reveals nothing', async () => {
  const answer = await call(api, 'GET', '/me', { token: 'x' });
  expect(faultIn(answer)).toEqual([500, 'internal_error']);
  expect(answer.text).not.toContain(SECRET);
});

test.each([
  ['the provider answers nothing', new OutcomeUnknown('getAccount', SECRET), 502, 'provider_unavailable'],
  ['the provider says no', new ProviderRefusal('rejected', 'getAccount'), 502, 'provider_unavailable'],
  ['the database refuses', Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), 503, 'unavailable'],
  ['the database goes away', Object.assign(new Error('x'), { code: '57P01' }), 503, 'unavailable'],
  ['the database is gone', new Error('Connection terminated unexpectedly'), 503, 'unavailable'],
  ['the database is silent', new ConnectionSilent(), 503, 'unavailable'],
  ['a statement takes too long', Object.assign(new Error('x'), { code: '57014' }), 503, 'unavailable'],
  ['a lock is not granted in time', Object.assign(new Error('x'), { code: '55P03' }), 503, 'unavailable'],
  ['a transaction was left open', Object.assign(new Error('x'), { code: '25P03' }), 503, 'unavailable'],
  ['a session was idle for too long', Object.assign(new Error('x'), { code: '57P05' }), 503, 'unavailable'],
])(
  'a failed request is answered without details, and logged without a stack trace, if %s',
  async (_what, error, status, code) => {
    act = fails(error);
    const answer = await askForQuote();
    expect([answer.status, answer.body['code']]).toEqual([status, code]);
    expect(answer.headers.get('retry-after')).toBe(status === 503 ? '1' : null);
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({
        level: 40,
        code: 'request.failed',
        refusal: code,
        reason: expect.any(String),
      }),
    ]);
    expect(lines[0]).not.toContain('stack');
    expect(JSON.stringify(answer.body)).not.toContain(SECRET);
  },
);

test('requests whose call to the provider got no slot share one warning without a stack trace', async () => {
  act = fails(notSent('createQuote', 'no slot became free in time'));
  for (let at = 0; at < 20; at += 1)
    expect(faultIn(await askForQuote())).toEqual([502, 'provider_unavailable']);
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
    expect.objectContaining({
      level: 40,
      code: 'request.unsent',
      reason: 'createQuote: not sent: no slot became free in time',
      requests: 1,
    }),
  ]);
  expect(lines[0]).not.toContain('stack');
});

test('an expected refusal is not logged as a fault', async () => {
  act = fails(new Refusal('invalid_request'));
  expect((await health()).status).toBe(400);
  expect(lines).toEqual([]);
});

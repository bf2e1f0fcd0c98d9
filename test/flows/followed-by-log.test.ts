// An operator starts from a request id. From there the log alone leads to the payment, its effects, their handles at the
// provider, and the callbacks about them. This needs no personal data. A check at the end of every test file proves that the
// log has none.
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { handleFor } from '../../src/domain/handles.ts';
import { logCodes } from '../../src/domain/log.ts';
import { byTable } from '../support/by-table.ts';
import { call, type Said } from '../support/http.ts';
import { capturedAt } from '../support/leak-watch.ts';
import { mintIdToken, type Person, pay, quote, reaches, signUp } from '../support/person.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';

type Line = Record<string, string | number | undefined>;

let bea: Person;
const { world, ada } = useWorld({ deposit: '500.00' });
/** The service whose identity providers become unreachable. */
const { world: away } = useWorld();
beforeAll(async () => {
  bea = await signUp(world);
});

const linesWith = (wanted: Line): Line[] =>
  capturedAt('the log')
    .split('\n')
    .filter((text) => text.startsWith('{'))
    .map((text) => JSON.parse(text) as Line)
    .filter((line) => Object.entries(wanted).every(([key, value]) => line[key] === value));

const lineWith = async (wanted: Line): Promise<Line> => {
  const [line] = await until(
    async () => linesWith(wanted),
    (lines) => lines.length > 0,
  );
  return line as Line;
};

async function expectRows({
  effectId,
  eventId,
  subjectId,
}: Record<'effectId' | 'eventId' | 'subjectId', string>) {
  const { db } = world.service.app;
  const effect = await byTable(db)
    .selectFrom('effects')
    .select('subject_id')
    .where('id', '=', effectId)
    .execute();
  const event = await byTable(db)
    .selectFrom('webhook_events')
    .select('status')
    .where('id', '=', eventId)
    .execute();
  expect([effect, event]).toEqual([[{ subject_id: subjectId }], [{ status: 'applied' }]]);
}

test('the log leads from a payment’s request through its effects to the callbacks about them', async () => {
  const { quoteId } = await quote(ada, 20);
  const answer = await call(world, 'POST', '/pix/payments', {
    token: ada.token,
    json: { quoteId, pixKey: '52998224725', pixKeyType: 'cpf' },
  });
  const requestId = answer.headers.get('x-request-id') as string;

  const confirmed = await lineWith({ requestId, code: 'payment.confirmed', level: 'info' });
  const subjectId = confirmed['subjectId'] as string;
  expect([subjectId, confirmed['transactionId']]).toEqual([
    answer.body['pixPaymentId'],
    answer.body['transactionId'],
  ]);
  await reaches(ada, subjectId, 'completed');

  for (const [effect, purpose] of [
    ['startConversion', 'conversion-direct'],
    ['startPayout', 'payout'],
  ] as const) {
    const ended = await lineWith({ subjectId, effect, code: 'effect.done', level: 'info' });
    const { handle, providerRef, effectId } = ended as Record<string, string>;
    expect(handle).toBe(handleFor(subjectId, purpose));
    const calledBack = await lineWith({ handle, providerRef, code: 'callback.applied', level: 'info' });
    expect(calledBack['eventType']).toBe(
      effect === 'startPayout' ? 'payout.updated' : 'internal_transfer.updated',
    );
    await expectRows({ effectId: effectId as string, eventId: calledBack['eventId'] as string, subjectId });
  }
});

test('the log of a repeated payment request names the same payment', async () => {
  const { quoteId } = await quote(ada, 10);
  const said = { token: ada.token, json: { quoteId, pixKey: '52998224725', pixKeyType: 'cpf' } };
  const first = await call(world, 'POST', '/pix/payments', said);
  const again = await call(world, 'POST', '/pix/payments', said);
  const requestId = again.headers.get('x-request-id') as string;
  const repeated = await lineWith({ requestId, code: 'payment.repeated' });
  expect(repeated['subjectId']).toBe(first.body['pixPaymentId']);
});

const accessLines = (requestId: string) => linesWith({ requestId, code: 'request.answered' });

type RefusedRequest = { method: string; path: string; said: Said; status: number; refusal: string };

const refused =
  (
    method: string,
    path: string,
    said: Said,
    status: number,
    refusal: string,
  ): (() => Promise<RefusedRequest>) =>
  async () => ({ method, path, said, status, refusal });

const signIn = (idToken: string): Said => ({ json: { provider: 'identity_provider_b', idToken } });

test('a refused request is one log line with the route, the status and the code', async () => {
  const { headers } = await call(world, 'GET', `/pix/payments/${randomUUID()}`, { token: ada.token });
  const requestId = headers.get('x-request-id') as string;
  await lineWith({ requestId });
  expect(accessLines(requestId)).toEqual([
    expect.objectContaining({
      level: 'info',
      method: 'GET',
      route: '/pix/payments/{id}',
      status: 404,
      refusal: 'not_found',
      ms: expect.any(Number),
    }),
  ]);
});

test.each<[string, () => Promise<RefusedRequest>]>([
  ['signs in without a provider', refused('POST', '/auth/session', { json: {} }, 400, 'invalid_request')],
  [
    'signs in with a forged token',
    refused('POST', '/auth/session', signIn('e30.e30.e30'), 401, 'invalid_id_token'),
  ],
  ['has no session', refused('GET', '/me', {}, 401, 'unauthorized')],
  ['has an invalid session', refused('GET', '/me', { token: 'e30.e30.e30' }, 401, 'unauthorized')],
  [
    'delivers a callback under a wrong secret',
    refused('POST', '/webhooks/provider/x', { json: {} }, 404, 'not_found'),
  ],
  [
    'asks for another user’s payment',
    async () => {
      const path = `/pix/payments/${await pay(ada, await quote(ada, 5))}`;
      return { method: 'GET', path, said: { token: bea.token }, status: 404, refusal: 'not_found' };
    },
  ],
  [
    'comes from a closed account',
    async () => {
      const gone = await signUp(world);
      await gone.api.DELETE('/me', {});
      return {
        method: 'GET',
        path: '/me',
        said: { token: gone.token },
        status: 403,
        refusal: 'account_closed',
      };
    },
  ],
  ['asks for an unknown path', refused('GET', '/nowhere', {}, 404, 'not_found')],
])('a request that %s is one log line at the production level', async (_what, ask) => {
  const { method, path, said, status, refusal } = await ask();
  const { headers } = await call(world, method, path, said);
  const requestId = headers.get('x-request-id') as string;
  await lineWith({ requestId, code: 'request.answered' });
  expect(accessLines(requestId)).toEqual([
    expect.objectContaining({ level: 'info', method, status, refusal }),
  ]);
});

test('a sign-in while the identity provider is unreachable is one log line at the production level', async () => {
  const idToken = await mintIdToken(away, 'b', { subject: 'ada' });
  await away.stopSandbox();
  const { status, headers } = await call(away, 'POST', '/auth/session', signIn(idToken));
  const requestId = headers.get('x-request-id') as string;
  await lineWith({ requestId, code: 'request.answered' });
  expect([status, accessLines(requestId)]).toEqual([
    502,
    [expect.objectContaining({ level: 'info', refusal: 'identity_provider_unavailable' })],
  ]);
});

test('a successful request is one log line at the level debug', async () => {
  const { headers } = await call(world, 'GET', '/me', { token: ada.token });
  const requestId = headers.get('x-request-id') as string;
  await lineWith({ requestId });
  expect(accessLines(requestId)).toEqual([expect.objectContaining({ level: 'debug', status: 200 })]);
});

test('a request that cannot be parsed as HTTP is found in the log by the id in its answer', async () => {
  const answer = await fetch(`${world.url}/health`, { headers: { 'x-long': 'x'.repeat(40_000) } });
  const { requestId } = (await answer.json()) as { requestId: string };
  expect(await lineWith({ requestId })).toMatchObject({
    code: 'request.malformed',
    level: 'info',
    status: 431,
  });
});

test('each log line has its time in UTC, its level, a listed code and a sentence', () => {
  const lines = linesWith({});
  expect(lines.length).toBeGreaterThan(20);
  for (const { time, level, code, msg } of lines) {
    expect(Object.keys(logCodes)).toContain(code);
    expect(new Date(time ?? '').toISOString()).toBe(time);
    expect(level).toMatch(/^(debug|info|warn|error)$/);
    expect(msg).toEqual(expect.any(String));
  }
});

// JSON.parse keeps one value of a key that occurs twice, so such a line is shorter when it is written again.
test('no log line has a key twice', () => {
  const lines = capturedAt('the log').split('\n').filter(Boolean);
  expect(lines.length).toBeGreaterThan(20);
  expect(lines.filter((line) => JSON.stringify(JSON.parse(line)) !== line)).toEqual([]);
});

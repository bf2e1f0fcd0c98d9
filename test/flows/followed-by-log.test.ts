// Support is given a request's id. From there the log alone leads on: to the payment, its effects, their handles at the
// provider, and the callbacks about them. Nothing personal is needed for it (that nothing is there is searched in every file).
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handleFor } from '../../src/domain/handles.ts';
import { call } from '../support/http.ts';
import { heardAt } from '../support/leak-watch.ts';
import { type Person, quote, reaches, verified } from '../support/person.ts';
import { until } from '../support/until.ts';
import { startWorld, type World } from '../support/world.ts';

type Line = Record<string, string | number | undefined>;

let world: World;
let ada: Person;

beforeAll(async () => {
  world = await startWorld();
  ada = await verified(world, { deposit: '500.00' });
});
afterAll(() => world.stop());

const linesWith = (wanted: Line): Line[] =>
  heardAt('the log')
    .split('\n')
    .filter((text) => text.startsWith('{'))
    .map((text) => JSON.parse(text) as Line)
    .filter((line) => Object.entries(wanted).every(([key, value]) => line[key] === value));

/** The first line with all of this, once it is written. */
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
  const effect = await db.selectFrom('effects').select('subject_id').where('id', '=', effectId).execute();
  const event = await db.selectFrom('webhook_events').select('status').where('id', '=', eventId).execute();
  expect([effect, event]).toEqual([[{ subject_id: subjectId }], [{ status: 'applied' }]]);
}

describe('a payment', () => {
  it('is followed from its request through its effects to the callbacks about them', async () => {
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

  it('that is sent again leads to the same', async () => {
    const { quoteId } = await quote(ada, 10);
    const said = { token: ada.token, json: { quoteId, pixKey: '52998224725', pixKeyType: 'cpf' } };
    const first = await call(world, 'POST', '/pix/payments', said);
    const again = await call(world, 'POST', '/pix/payments', said);
    const requestId = again.headers.get('x-request-id') as string;
    const repeated = await lineWith({ requestId, code: 'payment.repeated' });
    expect(repeated['subjectId']).toBe(first.body['pixPaymentId']);
  });
});

/** The lines of the access log, for a request with this id. */
const accessLines = (requestId: string) => linesWith({ requestId, code: 'request.answered' });

describe('a request', () => {
  it('that was refused is one line, with the route, the status and the code', async () => {
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

  it('that was not is one line for debugging', async () => {
    const { headers } = await call(world, 'GET', '/me', { token: ada.token });
    const requestId = headers.get('x-request-id') as string;
    await lineWith({ requestId });
    expect(accessLines(requestId)).toEqual([expect.objectContaining({ level: 'debug', status: 200 })]);
  });

  it('that is no HTTP is found by the id that it was answered with', async () => {
    const answer = await fetch(`${world.url}/health`, { headers: { 'x-long': 'x'.repeat(40_000) } });
    const { requestId } = (await answer.json()) as { requestId: string };
    expect(await lineWith({ requestId })).toMatchObject({
      code: 'request.broken',
      level: 'info',
      status: 431,
    });
  });
});

// Of each line's own keys; what an error says of itself is nested.
const keysOf = (line: string) =>
  [...line.replaceAll(/\{[^{}]*\}(?=[,}])/g, '{}').matchAll(/[{,]"(\w+)":/g)].map(([, key]) => key);

it('no line says anything twice', () => {
  const lines = heardAt('the log').split('\n').filter(Boolean);
  expect(lines.length).toBeGreaterThan(20);
  expect(lines.filter((line) => new Set(keysOf(line)).size < keysOf(line).length)).toEqual([]);
});

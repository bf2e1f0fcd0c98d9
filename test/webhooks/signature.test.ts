// A signature scheme in place of the default strategy: it decides by the bytes and headers, after the secret in the
// path, and a caller who fails learns no more than one with a wrong secret.
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WebhookVerifier } from '../../src/webhooks/verify.ts';
import { byTable } from '../support/by-table.ts';
import { call, type Said } from '../support/http.ts';
import { startWorld, type World } from '../support/world.ts';

const KEY = 'the key that the provider signs with';
const HEADER = 'x-provider-signature';

const signatureOf = (bytes: string | Buffer): Buffer => createHmac('sha256', KEY).update(bytes).digest();

/** As the page on security shows it. */
const hmacVerifier: WebhookVerifier = {
  isFromProvider: async ({ headers, rawBody }) => {
    const given = Buffer.from(String(headers[HEADER] ?? ''), 'hex');
    const expected = signatureOf(rawBody);
    return given.length === expected.length && timingSafeEqual(given, expected);
  },
};

let world: World;

beforeAll(async () => {
  world = await startWorld();
  world.service.app.webhookVerifier = hmacVerifier;
});
afterAll(() => world.stop());

const event = (): string => JSON.stringify({ event: 'moon.rose', data: { uuid: randomUUID() } });
const send = (said: Said, secret = world.webhookSecret) =>
  call(world, 'POST', `/webhooks/provider/${secret}`, {
    ...said,
    headers: { 'x-request-id': 'the-same', ...said.headers },
  });
const signed = (body: string, over = body): Said => ({
  body,
  headers: { [HEADER]: signatureOf(over).toString('hex') },
});
const storedEvents = async (): Promise<number> =>
  (await byTable(world.service.app.db).selectFrom('webhook_events').select('id').execute()).length;

describe('a callback under the right secret', () => {
  it('is taken when its signature is right, to the byte', async () => {
    const before = await storedEvents();
    // Spaces and the order of names are part of what was signed.
    for (const body of [event(), ` { "data" : {}, "event":"x",\n"n": 1.0 } `])
      expect((await send(signed(body))).status).toBe(200);
    expect(await storedEvents()).toBe(before + 2);
  });

  it.each([
    ['none', (): Said => ({ body: event() })],
    ['an empty one', (): Said => ({ body: event(), headers: { [HEADER]: '' } })],
    ['no hex', (): Said => ({ body: event(), headers: { [HEADER]: 'z'.repeat(64) } })],
    ['that of another body', (): Said => signed(event(), event())],
    ['that of the same content, written otherwise', (): Said => signed('{"a":1}', '{"a": 1}')],
    ['none, and no body either', (): Said => ({})],
    ['none, and a body that is no JSON', (): Said => ({ body: '{"broken' })],
  ])('with another signature is like one under a wrong secret: %s', async (_what, say) => {
    const before = await storedEvents();
    const [refused, wrong] = [await send(say()), await send(signed(event()), 'w'.repeat(40))];
    expect([refused.status, refused.text]).toEqual([404, wrong.text]);
    expect(await storedEvents()).toBe(before);
  });
});

it('a valid signature does not replace a right secret, and is not even checked', async () => {
  let looks = 0;
  const counting: WebhookVerifier = {
    isFromProvider: (callback) => {
      looks += 1;
      return hmacVerifier.isFromProvider(callback);
    },
  };
  world.service.app.webhookVerifier = counting;
  expect((await send(signed(event()), 'w'.repeat(40))).status).toBe(404);
  expect(looks).toBe(0);
  expect((await send(signed(event()))).status).toBe(200);
  expect(looks).toBe(1);
});

it('the strategy is given the secret, the headers and the bytes', async () => {
  const seen: unknown[] = [];
  world.service.app.webhookVerifier = {
    isFromProvider: async ({ secret, headers, rawBody }) => {
      seen.push([secret, headers['x-request-id'], rawBody.toString()]);
      return true;
    },
  };
  const body = event();
  await send({ body });
  expect(seen).toEqual([[world.webhookSecret, 'the-same', body]]);
});

it('a strategy that cannot decide is a fault of ours, so that the provider tries again', async () => {
  world.service.app.webhookVerifier = { isFromProvider: () => Promise.reject(new Error('no key')) };
  expect((await send(signed(event()))).status).toBe(500);
});

it('refusals are on record, apart from those of the secret', async () => {
  const { app } = world.service;
  await app.auditLog.flush(true);
  const recorded = await byTable(app.db).selectFrom('audit_events').select('action').distinct().execute();
  expect(recorded.map(({ action }) => action).toSorted()).toEqual(
    expect.arrayContaining(['webhook-secret.refused', 'webhook-signature.refused']),
  );
});

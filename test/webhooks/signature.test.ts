// A signature scheme replaces the default strategy. It decides by the bytes and headers, after the secret in the path. A caller who
// fails learns no more than one with a wrong secret.
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { WebhookVerifier } from '../../src/webhooks/verify.ts';
import { byTable } from '../support/by-table.ts';
import { call, type Said } from '../support/http.ts';
import { useWorld } from '../support/use-world.ts';

const KEY = 'the key that the provider signs with';
const HEADER = 'x-provider-signature';

const signatureOf = (bytes: string | Buffer): Buffer => createHmac('sha256', KEY).update(bytes).digest();

/** The verifier of the example in docs/security.md. */
const hmacVerifier: WebhookVerifier = {
  isFromProvider: async ({ headers, rawBody }) => {
    const signature = Buffer.from(String(headers[HEADER] ?? ''), 'hex');
    const expected = signatureOf(rawBody);
    return signature.length === expected.length && timingSafeEqual(signature, expected);
  },
};

const { world } = useWorld();
beforeAll(async () => {
  world.service.app.webhookVerifier = hmacVerifier;
});

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

test('a callback under the right secret is accepted if its signature matches every byte', async () => {
  const before = await storedEvents();
  // The signature covers spaces and the order of names.
  for (const body of [event(), ` { "data" : {}, "event":"x",\n"n": 1.0 } `])
    expect((await send(signed(body))).status).toBe(200);
  expect(await storedEvents()).toBe(before + 2);
});

test.each([
  ['no signature', (): Said => ({ body: event() })],
  ['an empty signature', (): Said => ({ body: event(), headers: { [HEADER]: '' } })],
  [
    'a signature that is not hexadecimal',
    (): Said => ({ body: event(), headers: { [HEADER]: 'z'.repeat(64) } }),
  ],
  ['the signature of another body', (): Said => signed(event(), event())],
  ['the signature of the same content with other spaces', (): Said => signed('{"a":1}', '{"a": 1}')],
  ['neither a signature nor a body', (): Said => ({})],
  ['no signature and a body that is not JSON', (): Said => ({ body: '{"broken' })],
])('a callback with another signature is refused like one under a wrong secret: %s', async (_what, say) => {
  const before = await storedEvents();
  const [refused, wrong] = [await send(say()), await send(signed(event()), 'w'.repeat(40))];
  expect([refused.status, refused.text]).toEqual([404, wrong.text]);
  expect(await storedEvents()).toBe(before);
});

test('a valid signature does not replace a right secret, and is not even checked then', async () => {
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

test('the strategy receives the secret, the headers and the bytes', async () => {
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

test('a strategy that cannot decide is answered with 500, so that the provider retries', async () => {
  world.service.app.webhookVerifier = { isFromProvider: () => Promise.reject(new Error('no key')) };
  expect((await send(signed(event()))).status).toBe(500);
});

test('refused signatures are audited separately from refused secrets', async () => {
  const { app } = world.service;
  await app.auditLog.flush(true);
  const recorded = await byTable(app.db).selectFrom('audit_events').select('action').distinct().execute();
  expect(recorded.map(({ action }) => action).toSorted()).toEqual(
    expect.arrayContaining(['webhook-secret.refused', 'webhook-signature.refused']),
  );
});

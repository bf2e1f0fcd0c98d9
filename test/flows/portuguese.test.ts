// Sentences in the language of the reader: what a user whose phone is set to Portuguese reads, and what stays the same.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { failureReasons } from '../../src/domain/failure-reasons.ts';
import {
  failureReasonsInPortuguese,
  payoutFailuresInPortuguese,
  refusalsInPortuguese,
} from '../../src/domain/portuguese.ts';
import { refusals } from '../../src/domain/refusals.ts';
import { type Answered, call, type Said } from '../support/http.ts';
import { growOlder } from '../support/outbox.ts';
import { type Person, pay, quote, reaches, withdraw } from '../support/person.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';

const { world, ada } = useWorld({ deposit: '500.00' });

const BRAZILIAN_PHONE = 'pt-BR,pt;q=0.9,en-US;q=0.8,en;q=0.7';

/** A call by a person whose phone has these languages. Null for a client that names none. */
const callIn = (
  languages: string | null,
  { token }: Pick<Person, 'token'>,
  method: string,
  path: string,
  { headers, ...said }: Said = {},
): Promise<Answered> =>
  call(world, method, path, {
    token,
    headers: { ...(languages !== null && { 'accept-language': languages }), ...headers },
    ...said,
  });

const languageIn = ({ headers }: Answered): (string | null)[] => [
  headers.get('content-language'),
  headers.get('vary'),
];
const IN_PORTUGUESE = ['pt-BR', 'Accept-Language'];
const IN_ENGLISH = ['en', 'Accept-Language'];

async function failedPayout(): Promise<string> {
  const key = { pixKey: 'fail@pix.example', pixKeyType: 'email' } as const;
  const id = await pay(ada, await quote(ada, 10), key);
  await reaches(ada, id, 'payout_failed');
  return id;
}

test('the reason of a failed payment is in the language of the request that reads it', async () => {
  const id = await failedPayout();
  const path = `/pix/payments/${id}`;
  const inPortuguese = await callIn(BRAZILIAN_PHONE, ada, 'GET', path);
  const inEnglish = await callIn('en-GB', ada, 'GET', path);
  const inNone = await callIn(null, ada, 'GET', path);
  expect(inPortuguese.body['failureReason']).toBe(failureReasonsInPortuguese.payout_failed);
  expect(inEnglish.body['failureReason']).toBe(failureReasons.payout_failed);
  expect(languageIn(inPortuguese)).toEqual(IN_PORTUGUESE);
  expect(languageIn(inEnglish)).toEqual(IN_ENGLISH);
  expect([inNone.body, languageIn(inNone)]).toEqual([inEnglish.body, IN_ENGLISH]);
  // Nothing else differs: clients branch on codes.
  const { failureReason: _, ...rest } = inEnglish.body;
  expect(inPortuguese.body).toMatchObject(rest);

  const list = await callIn('pt', ada, 'GET', '/pix/payments');
  expect(languageIn(list)).toEqual(IN_PORTUGUESE);
  const listed = (list.body as unknown as { id: string; failureReason: string }[]).find(
    (one) => one.id === id,
  );
  expect(listed?.failureReason).toBe(failureReasonsInPortuguese.payout_failed);
});

test('a limit that a payment reached is named in the reader’s language', async () => {
  const key = { pixKey: 'nightly@pix.example', pixKeyType: 'email' } as const;
  const id = await pay(ada, await quote(ada, 10), key);
  await reaches(ada, id, 'payout_failed');
  const { body } = await callIn('pt-BR', ada, 'GET', `/pix/payments/${id}`);
  expect(body).toMatchObject({
    failureReason: payoutFailuresInPortuguese.night,
    payoutFailure: { code: 'limit_reached', limit: 'night' },
  });
});

test('a retry that is repeated in another language has the sentences of that language', async () => {
  const id = await failedPayout();
  const retry = (languages: string, key: string) =>
    callIn(languages, ada, 'POST', `/pix/payments/${id}/retry`, {
      json: {},
      headers: { 'idempotency-key': key },
    });
  const key = randomUUID();
  expect(languageIn(await retry('en', key))).toEqual(IN_ENGLISH);
  await reaches(ada, id, 'payout_failed');
  const repeated = await retry('pt-BR', key);
  expect([repeated.status, repeated.body['failureReason'], ...languageIn(repeated)]).toEqual([
    200,
    failureReasonsInPortuguese.payout_failed,
    ...IN_PORTUGUESE,
  ]);
});

test('the reason of a failed withdrawal is in the reader’s language, alone and in the list', async () => {
  const id = await withdraw(ada, 1_313);
  const read = (languages: string) => callIn(languages, ada, 'GET', `/transactions/${id}`);
  const failed = await until(
    () => read('pt-BR'),
    ({ body }) => body['status'] === 'failed',
  );
  expect(failed.body['failureReason']).toBe(failureReasonsInPortuguese.withdraw_failed);
  expect(languageIn(failed)).toEqual(IN_PORTUGUESE);
  expect((await read('en')).body['failureReason']).toBe(failureReasons.withdraw_failed);
  const list = await callIn('pt-BR', ada, 'GET', '/transactions');
  expect(languageIn(list)).toEqual(IN_PORTUGUESE);
  const listed = (list.body as unknown as { id: string; failureReason: string }[]).find(
    (one) => one.id === id,
  );
  expect(listed?.failureReason).toBe(failureReasonsInPortuguese.withdraw_failed);
});

test('an answer without sentences names no language', async () => {
  const answer = await callIn(BRAZILIAN_PHONE, ada, 'GET', '/me');
  expect([answer.status, ...languageIn(answer)]).toEqual([200, null, null]);
});

test('an expired quote is refused with the word quote_expired in Portuguese as well', async () => {
  const { quoteId } = await quote(ada, 10);
  const json = { quoteId, pixKey: '52998224725', pixKeyType: 'cpf' };
  await growOlder(world, 60_000);
  const answer = await callIn(BRAZILIAN_PHONE, ada, 'POST', '/pix/payments', { json });
  expect(answer.body).toMatchObject({ error: 'quote_expired', code: 'quote_expired' });
  expect([answer.status, ...languageIn(answer)]).toEqual([409, ...IN_PORTUGUESE]);
});

const nobody = { token: 'x' };
const tooLarge = JSON.stringify({ displayName: 'x'.repeat(33_000) });

test.each([
  ['of an operation', 404, 'not_found', () => ada, 'GET', `/transactions/${randomUUID()}`, {}],
  ['of an unknown address', 404, 'not_found', () => ada, 'GET', '/nowhere', {}],
  ['without a session', 401, 'unauthorized', () => nobody, 'GET', '/me', {}],
  ['of a method', 405, 'method_not_allowed', () => ada, 'PUT', '/me', {}],
  ['of a parameter', 400, 'invalid_request', () => ada, 'GET', '/transactions?verbose=true', {}],
  ['of a body that is not JSON', 400, 'malformed_json', () => ada, 'PATCH', '/me', { body: '{' }],
  ['of a body that is too large', 413, 'payload_too_large', () => ada, 'PATCH', '/me', { body: tooLarge }],
] as const)(
  'a refusal %s is in the reader’s language',
  async (_of, status, code, person, method, path, said) => {
    const inPortuguese = await callIn('pt', person(), method, path, said);
    const inEnglish = await callIn('fr', person(), method, path, said);
    expect([inPortuguese.status, inPortuguese.body['code'], inPortuguese.body['error']]).toEqual([
      status,
      code,
      refusalsInPortuguese[code],
    ]);
    expect(languageIn(inPortuguese)).toEqual(IN_PORTUGUESE);
    expect([inEnglish.body['error'], ...languageIn(inEnglish)]).toEqual([
      refusals[code].sentence,
      ...IN_ENGLISH,
    ]);
    // The details are for the developer of the app.
    expect(inPortuguese.body['details']).toEqual(inEnglish.body['details']);
  },
);

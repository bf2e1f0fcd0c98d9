// The errors that the contract shows are exactly those that the service answers over HTTP.
import { afterAll, beforeAll, expect, test } from 'vitest';
import document from '../../openapi/generated/openapi.json' with { type: 'json' };
import { Refusal } from '../../src/domain/refusals.ts';
import { contract } from '../api-security/contract.ts';
import { startBareApi } from '../support/bare-api.ts';
import { errorExamples, type ShownError } from '../support/error-examples.ts';
import { call, type Said } from '../support/http.ts';

let refuse: () => never;
let api: Awaited<ReturnType<typeof startBareApi>>;

beforeAll(async () => {
  api = await startBareApi(() => refuse());
});
afterAll(() => api.stop());

test.each(errorExamples)(
  'the service answers the error example $name word for word',
  async ({ operationId, status, shown }) => {
    refuse = () => {
      throw new Refusal(shown.code);
    };
    const operation = contract.find(({ id }) => id === operationId);
    if (!operation) throw new Error(`${operationId} is not in the contract`);
    const { method, path, forms } = operation;
    const address = path.replace(/\{\w+\}/, '019ab000-0000-7000-8000-000000000000');
    const json = forms[0]?.example;
    const answer = await call(api, method, address, { ...(json && { json }) });
    expect([answer.status, answer.body]).toEqual([
      status,
      { ...withoutDetails(shown), requestId: answer.headers.get('x-request-id') },
    ]);
  },
);

test('every error code has an example, except the one that belongs to no operation', () => {
  const shown = new Set(errorExamples.map(({ shown: { code } }) => code));
  const unseen = document.components.schemas.ErrorCode.enum.filter(
    (code) => !shown.has(code as ShownError['code']),
  );
  expect(unseen).toEqual(['method_not_allowed']);
});

const tooLarge = JSON.stringify({ displayName: 'x'.repeat(33_000) });
const mistyped = {
  currency: 'GBP',
  accountHolderName: 'Ana',
  accountNumber: '31926819',
  sortCode: '60-16-1',
};
const requests: Record<string, [method: string, path: string, said?: Said]> = {
  'invalid_request /query/verbose': ['GET', '/transactions?verbose=true'],
  'invalid_request /body/sortCode': ['POST', '/bank-details', { json: mistyped }],
  'malformed_json /body': ['PATCH', '/me', { body: '{' }],
  'payload_too_large /body': ['PATCH', '/me', { body: tooLarge }],
  'unsupported_media_type /headers/content-type': [
    'PATCH',
    '/me',
    { body: 'a', headers: { 'content-type': 'text/plain' } },
  ],
  'unsupported_content_encoding /headers/content-encoding': [
    'PATCH',
    '/me',
    { body: '{}', headers: { 'content-encoding': 'gzip' } },
  ],
};
// The stub of the handlers cannot name a missing step: test/flows/kyc-restart.test.ts compares those details.
const stepCodes = new Set(['account_not_active', 'not_restartable']);
const detailed = new Map(
  errorExamples.flatMap(({ shown: { code, details } }) =>
    details && !stepCodes.has(code) ? [[`${code} ${details[0]?.path}`, { code, details }]] : [],
  ),
);

test.each([...detailed])(
  'the service answers the details of %s that the contract shows',
  async (name, shown) => {
    const [method, path, said] = requests[name] ?? [];
    const { body } = await call(api, method ?? '', path ?? '', said);
    expect(body).toMatchObject(shown);
  },
);

const withoutDetails = ({ error, code }: ShownError) => ({ error, code });

// The operations whose requests are not validated, because nothing in them can violate the contract.
import type { Operation } from 'openapi-backend';
import { expect, test } from 'vitest';
import { theBackend } from '../../src/api/backend.ts';
import { acceptsAnyRequest } from '../../src/api/contract.ts';

const api = await theBackend();
const operations = api.router.getOperations();

const withParameter = (parameter: object): Operation =>
  ({ method: 'get', path: '/', parameters: [{ name: 'X-Any', ...parameter }], responses: {} }) as Operation;

test('only three operations accept any request without a query', () => {
  expect(operations.filter(acceptsAnyRequest).map(({ operationId }) => operationId)).toEqual([
    'getHealth',
    'getMe',
    'getKycStatus',
  ]);
});

test('an optional header that may be any text needs no validation', () => {
  expect(acceptsAnyRequest(withParameter({ in: 'header', schema: { type: 'string' } }))).toBe(true);
});

test.each([
  { in: 'header', required: true, schema: { type: 'string' } },
  { in: 'header', schema: { type: 'string', maxLength: 128 } },
  { in: 'header', schema: { type: 'integer' } },
  { in: 'query', schema: { type: 'string' } },
  { in: 'path', required: true, schema: { type: 'string' } },
  { in: 'cookie', schema: { type: 'string' } },
])('an operation with the parameter %j is validated', (parameter) => {
  expect(acceptsAnyRequest(withParameter(parameter))).toBe(false);
});

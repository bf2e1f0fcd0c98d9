// Every operation is called while the provider is unreachable. An operation that needs the provider answers 502, and the contract
// must declare it: the service answers another 5xx instead of a status that is not declared.
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { OperationId } from '../../src/api/operation.ts';
import { operations } from '../support/contract.ts';
import { call } from '../support/http.ts';
import { type SuccessfulRequest, successfulRequests } from '../support/successful-requests.ts';
import { useWorld } from '../support/use-world.ts';

const ready = new Map<string, SuccessfulRequest>();
const answered = new Map<string, number>();

const { world, ada } = useWorld({ deposit: '500.00' });
beforeAll(async () => {
  const requests = successfulRequests(world, ada);
  // Some operations need what these make.
  await call(world, 'POST', '/bank-details', { token: ada.token, ...(await requests.saveBankDetails()) });
  await call(world, 'POST', '/pix/payments', { token: ada.token, ...(await requests.createPixPayment()) });
  for (const { operationId } of inOrder.toReversed())
    ready.set(operationId, await requests[operationId as OperationId]());
  await world.stopSandbox();
  await sql`update users set balance_read_at = null`.execute(world.service.app.db);
});

/** A quote ends soon, so its payment is prepared last and tried first. Nothing succeeds after an account is closed. */
const rank: Record<string, number> = { createPixPayment: -1, closeAccount: 1 };
const inOrder = operations.toSorted(
  (one, other) => (rank[one.operationId] ?? 0) - (rank[other.operationId] ?? 0),
);

test.each(inOrder)(
  'the contract declares what $operationId answers without the provider',
  async ({ operationId, method, path, isOpen }) => {
    const { path: value = '', query = '', ...said } = ready.get(operationId) ?? {};
    const { status } = await call(world, method, path.replace(/\{\w+\}/, value) + query, {
      ...(!isOpen && { token: ada.token }),
      ...said,
    });
    expect([500, 503], `Declare 502 in the contract under ${operationId}.`).not.toContain(status);
    answered.set(operationId, status);
  },
);

test('an operation whose contract has a 502 for the provider answers it without the provider', () => {
  const silent = operations
    .filter(({ responses }) => '502' in responses)
    .filter(({ operationId }) => answered.get(operationId) !== 502)
    .map(({ operationId }) => operationId);
  // Signing in needs only the identity provider. Closing an account needs the provider if the app asks for the balance.
  expect(silent.toSorted()).toEqual(['closeAccount', 'createSession']);
});

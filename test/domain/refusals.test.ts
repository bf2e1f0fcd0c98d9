// The table of refusals against the contract. test/api/error-examples.test.ts compares the same over HTTP.
import { expect, test } from 'vitest';
import { invalid, malformedJson, Refusal, refusals } from '../../src/domain/refusals.ts';
import { errorExamples } from '../support/error-examples.ts';

test.each(errorExamples)('$name has the status and the sentence of the contract', ({ status, shown }) => {
  expect(refusals[shown.code]).toMatchObject({ status, sentence: shown.error });
});

test('a method that no operation has is refused with 405', () => {
  expect(refusals.method_not_allowed.status).toBe(405);
});

test('a client is told when to repeat a request, and only if repeating it helps', () => {
  const delays = Object.entries(refusals).flatMap(([code, { retryAfterSeconds }]) =>
    retryAfterSeconds === undefined ? [] : [[code, retryAfterSeconds]],
  );
  expect(Object.fromEntries(delays)).toEqual({
    too_many_requests: 1,
    too_many_unfinished: 5,
    unavailable: 1,
    lookup_budget_spent: 30,
    overloaded: 5,
    recovery_underway: 5,
  });
});

test('a refusal has its sentence, its code, its details and its cause', () => {
  const cause = new Error('why');
  const details = [{ path: '/body', message: 'must be less' }];
  const refusal = new Refusal('insufficient_funds', details, { cause });
  expect(refusal).toMatchObject({
    name: 'Refusal',
    message: refusals.insufficient_funds.sentence,
    code: 'insufficient_funds',
    details,
    cause,
  });
});

test('a fault outside the schema is an invalid request that names the place', () => {
  expect(invalid('/query/cursor', 'must be a cursor')).toMatchObject({
    code: 'invalid_request',
    details: [{ path: '/query/cursor', message: 'must be a cursor' }],
  });
});

test('a fault that a user can have typed has a code, and another one has none', () => {
  const mistyped = { path: '/body/iban', message: 'is not an IBAN', code: 'invalid_iban' } as const;
  expect(invalid(mistyped.path, mistyped.message, mistyped.code).details).toStrictEqual([mistyped]);
  const { path, message } = mistyped;
  expect(invalid(path, message).details).toStrictEqual([{ path, message }]);
});

test('a body that is not JSON is refused with the cause', () => {
  const cause = new SyntaxError('at 1');
  expect(malformedJson(cause)).toMatchObject({
    code: 'malformed_json',
    details: [{ path: '/body', message: 'must be JSON in UTF-8' }],
    cause,
  });
});

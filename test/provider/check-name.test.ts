// Checks of names ask the provider in time, and know whether it has such checks.
import { expect, test } from 'vitest';
import { createNameChecks } from '../../src/provider/check-name.ts';
import { OutcomeUnknown } from '../../src/provider/errors.ts';
import type { BankValidation } from '../../src/provider/port.ts';
import { gbp } from '../support/bank-details.ts';

const MATCH: BankValidation = { status: 'match', suggestedName: null };
const MINUTES = 60_000;

/** A provider that answers so, one after the other, and counts its calls. */
function answering(...answers: (BankValidation | Error)[]) {
  const rest = [...answers];
  let calls = 0;
  return {
    calls: () => calls,
    validateBankDetails: async () => {
      calls += 1;
      const answer = rest.shift();
      if (answer === undefined || answer instanceof Error) throw answer ?? new Error('one call too many');
      return answer;
    },
  };
}
const failing = (status: number) =>
  new OutcomeUnknown('createBankAccountValidation', 'no usable answer', { status });

test('an answer is waited for until the deadline, and a late one is dropped', async () => {
  const late = Promise.withResolvers<BankValidation>();
  const checks = createNameChecks(() => 0, 20);
  const provider = { validateBankDetails: () => late.promise };
  expect(await checks.check(provider, gbp)).toMatchObject({ outcome: 'unavailable' });
  late.resolve(MATCH);
  expect(await checks.check(provider, gbp)).toEqual({ outcome: 'answered', answer: MATCH });
});

test.for([404, 405, 501])(
  'a provider that answers %i has no checks, and is asked again later',
  async (status) => {
    let nowMs = 0;
    const checks = createNameChecks(() => nowMs);
    const provider = answering(failing(status), MATCH);
    expect(await checks.areAbsent(provider, gbp)).toBe(true);
    nowMs = 9 * MINUTES;
    expect(await checks.areAbsent(provider, gbp)).toBe(true);
    expect(provider.calls()).toBe(1);
    nowMs = 11 * MINUTES;
    expect(await checks.areAbsent(provider, gbp)).toBe(false);
    expect(await checks.areAbsent(provider, gbp)).toBe(false);
    expect(provider.calls()).toBe(2);
  },
);

test('a provider that gives no usable answer counts as one that has checks, and is asked again', async () => {
  const checks = createNameChecks(() => 0);
  const provider = answering(failing(503), failing(404));
  expect(await checks.areAbsent(provider, gbp)).toBe(false);
  expect(await checks.areAbsent(provider, gbp)).toBe(true);
});

test('a check also shows whether the provider has checks', async () => {
  const checks = createNameChecks(() => 0);
  expect(await checks.check(answering(failing(404)), gbp)).toEqual({ outcome: 'unsupported' });
  expect(await checks.areAbsent(answering(), gbp)).toBe(true);
  expect(await checks.check(answering(MATCH), gbp)).toMatchObject({ outcome: 'answered' });
  expect(await checks.areAbsent(answering(), gbp)).toBe(false);
});

test('a mistake of the service is not taken for an answer of the provider', async () => {
  await expect(createNameChecks().check(answering(new TypeError('x')), gbp)).rejects.toThrow(TypeError);
});

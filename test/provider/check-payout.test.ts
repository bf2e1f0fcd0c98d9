// A check of a payout counts only if it is clear and in time. A provider without checks is asked rarely.
import { expect, test } from 'vitest';
import type { PayoutFailure } from '../../src/domain/payout-failures.ts';
import { createPayoutChecks } from '../../src/provider/check-payout.ts';
import { OutcomeUnknown, ProviderRefusal } from '../../src/provider/errors.ts';
import type { PayoutToCheck } from '../../src/provider/port.ts';

const MINUTE = 60_000;
const payout: PayoutToCheck = {
  sourceAccountRef: 'account',
  amountMinor: 1_000,
  currency: 'BRL',
  destination: { rail: 'PIX', pixKey: 'key', pixKeyType: 'evp', recipientName: null },
};
const atNight: PayoutFailure = { code: 'limit_reached', limit: 'night', retryFrom: null };

/** A provider that answers with these answers, one after the other, and then that everything is allowed. */
function providerWith(...answers: (() => Promise<PayoutFailure | null>)[]) {
  let calls = 0;
  return {
    asked: () => calls,
    checkPayout: (): Promise<PayoutFailure | null> => {
      calls += 1;
      return answers[calls - 1]?.() ?? Promise.resolve(null);
    },
  };
}
const fails = (error: Error) => async (): Promise<null> => {
  throw error;
};
const answered = (status: number) => fails(new OutcomeUnknown('createPayoutCheck', 'answered', { status }));

test('a clear no is the reason, and a clear yes is none', async () => {
  const provider = providerWith(() => Promise.resolve(atNight));
  const { check } = createPayoutChecks();
  expect(await check(provider, payout)).toEqual(atNight);
  expect(await check(provider, payout)).toBeNull();
});

test.each([
  ['a 400', answered(400)],
  ['a 429', answered(429)],
  ['a 500', answered(500)],
  ['no answer', fails(new OutcomeUnknown('createPayoutCheck', 'no usable answer'))],
  ['a refusal', fails(new ProviderRefusal('rejected', 'createPayoutCheck'))],
])('%s refuses nothing, and the provider is asked again', async (_what, answer) => {
  const provider = providerWith(answer);
  const { check } = createPayoutChecks();
  expect(await check(provider, payout)).toBeNull();
  await check(provider, payout);
  expect(provider.asked()).toBe(2);
});

test.each([404, 405, 501])('a provider that answers %i is asked again after ten minutes', async (status) => {
  let nowMs = 5_000;
  const provider = providerWith(answered(status), () => Promise.resolve(atNight));
  const { check } = createPayoutChecks(() => nowMs);
  expect(await check(provider, payout)).toBeNull();
  nowMs += 10 * MINUTE - 1;
  expect(await check(provider, payout)).toBeNull();
  expect(provider.asked()).toBe(1);
  nowMs += 1;
  expect(await check(provider, payout)).toEqual(atNight);
  expect(provider.asked()).toBe(2);
});

test('a late answer refuses nothing, whatever it is', async () => {
  const late: ((error: Error) => void)[] = [];
  const provider = providerWith(() => new Promise((_, reject) => late.push(reject)));
  expect(await createPayoutChecks(undefined, 1).check(provider, payout)).toBeNull();
  for (const end of late) end(new OutcomeUnknown('createPayoutCheck', 'no usable answer'));
});

test('a fault of the service is not taken for an answer', async () => {
  const provider = providerWith(fails(new TypeError('a fault')));
  await expect(createPayoutChecks().check(provider, payout)).rejects.toThrow('a fault');
});

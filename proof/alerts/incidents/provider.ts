// Incidents of the provider and of its callbacks.
import { randomUUID } from 'node:crypto';
import { createPerson, openAccount, signIn } from '../../../harness/people/person.ts';
import { fail, failNext, type Incident, payTo, repeat } from './incident.ts';

export const providerIncidents: Incident[] = [
  {
    name: 'provider-unreachable',
    injected: 'the provider answers every call with 503',
    begin: (environment) => fail(environment, { replies: { error503: 1 } }),
    rings: ['PonteCircuitOpen'],
    mayRing: ['PonteConfirmationsFail', 'PonteConfirmationsObjective', 'PonteProviderFails'],
    silent: {
      PonteStateTooLong: 'payments in flight have minutes left',
      PonteWorkFails: 'it waits 15 minutes, because retries are normal',
    },
  },
  {
    name: 'provider-redirects',
    injected: 'the provider answers every call with a redirect',
    begin: (environment) => fail(environment, { replies: { redirect: 1 } }),
    rings: ['PonteConfirmationsFail', 'PonteProviderFails'],
    mayRing: ['PonteConfirmationsObjective'],
    silent: { PonteCircuitOpen: 'the provider answers, so no circuit opens' },
  },
  {
    name: 'provider-fails-in-part',
    injected: 'the provider answers a third of the calls with 500',
    begin: (environment) => fail(environment, { replies: { error500: 0.33 } }),
    rings: ['PonteConfirmationsFail', 'PonteProviderFails'],
    mayRing: ['PonteConfirmationsObjective', 'PontePaymentsRefused'],
    silent: { PonteCircuitOpen: 'less than 70 % of the calls fail', PontePaymentsFail: 'retries succeed' },
  },
  {
    name: 'provider-slow',
    injected: 'the provider pays after 8 s instead of immediately',
    begin: (environment, signal) =>
      repeat(
        signal,
        () =>
          environment.control('POST', '/fault-injection/next', {
            operation: 'createPayout',
            fault: 'hangingRail',
            details: { railDelayMs: 8_000, railHangsForMs: 3_600_000 },
          }),
        600_000,
      ),
    spoils: true,
    rings: ['PonteProviderSlow'],
    mayRing: ['PontePaymentsRefused', 'PonteWorkWaits'],
    silent: { PonteCircuitOpen: 'the provider answers in time', PonteProviderFails: 'no call fails' },
  },
  {
    name: 'provider-refuses',
    injected: 'the provider refuses every quote',
    begin: (environment) => failNext(environment, 'createQuote', 'refused'),
    rings: ['PonteProviderRefuses'],
    silent: {
      PonteConfirmationsFail: 'the app gets 422, which is an answer',
      PontePaymentsFail: 'no payment is confirmed',
    },
  },
  {
    name: 'conversions-fail',
    injected: 'the provider fails every conversion',
    begin: (environment) => fail(environment, { business: { failedTransfer: 1 } }),
    rings: ['PontePaymentsFail'],
    silent: {
      PonteCircuitOpen: 'the provider answers',
      PontePayoutsFail: 'no payout begins',
      PonteManualReview: 'no money has moved',
    },
  },
  {
    name: 'payouts-wait',
    injected: 'a third of the payouts stays pending for ten minutes',
    begin: (environment, signal) => repeat(signal, () => payTo(environment, 'slow'), 2_000),
    rings: ['PontePaymentsObjective'],
    silent: {
      PontePaymentsFail: 'no payment fails',
      PontePaymentsSlow: 'no slow payment has completed yet',
      PonteStateTooLong: 'a payout may take an hour',
    },
  },
  {
    name: 'withdrawals-fail',
    injected: 'the provider fails every withdrawal',
    begin: async ({ people: [person] }, signal) => {
      if (!person) return;
      await person.ponte.saveBankDetails({
        currency: 'GBP',
        accountHolderName: 'Ada Silva',
        accountNumber: '31926819',
        sortCode: '60-16-13',
      });
      await repeat(signal, () => person.ponte.withdraw(FAILING_WITHDRAWAL));
    },
    rings: ['PonteWithdrawalsFail'],
    silent: { PontePaymentsFail: 'payments complete' },
  },
  {
    name: 'verifications-fail',
    injected: 'the provider fails every verification',
    begin: (environment, signal) =>
      repeat(signal, async () => {
        const person = createPerson(environment);
        await signIn(person);
        await openAccount(person, { fullName: 'Ada Fail', withinMs: 0 });
      }),
    rings: ['PonteVerificationsFail'],
    silent: { PonteStateTooLong: 'a failed verification waits for its user, without a limit' },
  },
  {
    name: 'effects-exhausted',
    injected: 'the provider answers every payout with 500, and the last attempt has come',
    begin: async (environment, signal) => {
      await failNext(environment, 'createPayout', 'error500');
      await repeat(signal, () =>
        environment.sql(
          "update effects set attempts = 149, due_at = now() where status = 'queued' and type::text = 'startPayout' and attempts between 1 and 148 and leased_by is null",
        ),
      );
    },
    spoils: true,
    rings: ['PonteEffectsExhausted'],
    mayRing: ['PonteCircuitOpen', 'PonteProviderFails', 'PontePaymentsRefused', 'PontePaymentsObjective'],
    silent: { PonteWorkFails: 'it waits 15 minutes', PonteStateTooLong: 'a payout may take an hour' },
  },
  {
    name: 'callbacks-lost-in-part',
    injected: 'half of the callbacks do not arrive',
    begin: (environment) => fail(environment, { callbacks: { lost: 0.5 } }),
    rings: ['PonteCallbacksIncomplete'],
    mayRing: ['PontePaymentsObjective'],
    silent: {
      PonteCallbacksMissing: 'some callbacks arrive',
      PontePaymentsSlow: 'polls end the payments within five minutes',
    },
  },
  {
    name: 'callbacks-to-another-path',
    injected: 'callbacks arrive with another secret in their path',
    begin: ({ url }, signal) =>
      repeat(signal, () =>
        fetch(`${url}/webhooks/provider/${'x'.repeat(43)}`, { method: 'POST', body: '{}' }),
      ),
    rings: ['PonteCallbacksRejected'],
    silent: { PonteCallbacksMissing: 'callbacks with the right secret arrive' },
  },
  {
    name: 'callbacks-of-nobody',
    injected: 'somebody who knows the secret sends callbacks about unknown payouts',
    begin: ({ url, settings }, signal) =>
      repeat(
        signal,
        () =>
          fetch(`${url}/webhooks/provider/${settings['WEBHOOK_SECRET']}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({
              event: 'payout.updated',
              data: { uuid: randomUUID(), status: 'COMPLETED' },
              updated_at: new Date().toISOString(),
            }),
          }),
        100,
      ),
    spoils: true,
    rings: ['PonteUnknownCallbacks'],
    silent: {
      PonteCallbacksRejected: 'they are accepted',
      PonteCallbacksUnmatched: 'they wait for their fetch',
      PontePaymentsRefused: 'callbacks about payments do not wait for them',
    },
  },
];

/** The sandbox fails withdrawals of £13.13. */
const FAILING_WITHDRAWAL = 1_313;

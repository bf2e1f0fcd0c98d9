// Incidents that show themselves after more than ten minutes. The fault is real, and Prometheus gets a past in which the service had
// answered with the same pages.
import { createPerson, signIn } from '../../../harness/people/person.ts';
import { fail, failNext, type Incident, type Past, payTo, repeat } from './incident.ts';

const MINUTES_OF_A_WEEK = 7 * 24 * 60;
const hitFor = (minutes: number): Past => ({ pages: 'hit', fromMinutes: minutes, untilMinutes: 0 });
const healthyUntil = (untilMinutes: number, fromMinutes: number): Past => ({
  pages: 'healthy',
  fromMinutes,
  untilMinutes,
});
/** The same hour of last week. */
const lastWeek = healthyUntil(MINUTES_OF_A_WEEK - 60, MINUTES_OF_A_WEEK + 90);

export const longIncidents: Incident[] = [
  {
    name: 'callbacks-lost',
    injected: 'no callback arrives',
    begin: (environment) => fail(environment, { callbacks: { lost: 1 } }),
    past: [hitFor(60)],
    rings: ['PonteCallbacksMissing'],
    mayRing: ['PonteCallbacksIncomplete', 'PontePaymentsObjective'],
    silent: { PonteCallbacksRejected: 'none is rejected', PontePaymentsFail: 'polls end the payments' },
  },
  {
    name: 'callbacks-unmatched',
    injected: 'callbacks about unknown objects have had their last attempt',
    begin: ({ url, settings, sql }, signal) =>
      repeat(
        signal,
        async () => {
          await fetch(`${url}/webhooks/provider/${settings['WEBHOOK_SECRET']}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({
              event: 'payout.updated',
              data: { uuid: crypto.randomUUID(), status: 'COMPLETED' },
              updated_at: new Date().toISOString(),
            }),
          });
          await sql(
            'update webhook_events set attempts = 149 where user_id is null and due_at is not null and leased_by is null',
          );
        },
        5_000,
      ),
    past: [healthyUntil(30, 150), hitFor(30)],
    spoils: true,
    rings: ['PonteCallbacksUnmatched'],
    // The provider answers 404 about each of them, which counts as unclear.
    mayRing: ['PonteProviderFails'],
    silent: {
      PonteUnknownCallbacks: 'they are few',
      PonteCallbacksLate: 'callbacks about payments are applied',
    },
  },
  {
    name: 'payouts-fail',
    injected: 'a tenth of the payouts fails, for an hour',
    begin: (environment, signal) => repeat(signal, () => payTo(environment, 'fail'), 7_000),
    past: [hitFor(70)],
    rings: ['PontePayoutsFail'],
    mayRing: ['PontePaymentsFail'],
    silent: { PonteManualReview: 'their users can retry', PonteStateTooLong: 'they have a week' },
  },
  {
    name: 'payments-fail-more',
    injected: 'a tenth of the payments fails, and a week ago none did',
    begin: (environment, signal) => repeat(signal, () => payTo(environment, 'fail'), 7_000),
    past: [lastWeek, hitFor(70)],
    rings: ['PontePaymentsFail'],
    mayRing: ['PontePayoutsFail'],
    silent: { PonteProviderFails: 'the provider answers', PonteManualReview: 'their users can retry' },
  },
  {
    name: 'payments-slow',
    injected: 'payments have been confirmed six minutes before they complete (their rows are made older)',
    begin: ({ sql }, signal) =>
      repeat(
        signal,
        () =>
          sql(
            "update pix_payments set created_at = created_at - interval '6 minutes' where state::text not in ('completed') and created_at > now() - interval '1 minute'",
          ),
        200,
      ),
    past: [hitFor(30)],
    rings: ['PontePaymentsSlow', 'PontePaymentsObjective'],
    silent: { PontePaymentsFail: 'they complete', PonteOutboxGrows: 'no work of ours waits' },
  },
  {
    name: 'work-fails',
    injected: 'an effect has failed five times, and fails again',
    begin: async (environment, signal) => {
      await failNext(environment, 'createPayout', 'error500', { about: '"33.00"' });
      await payTo(environment, 'shop');
      await repeat(signal, () =>
        environment.sql(
          "update effects set attempts = 5 where status = 'queued' and attempts between 1 and 4",
        ),
      );
    },
    past: [hitFor(25)],
    spoils: true,
    rings: ['PonteWorkFails'],
    silent: {
      PonteProviderFails: 'one payout in hundreds fails',
      PonteEffectsExhausted: 'it has 145 attempts left',
      PonteCircuitOpen: 'other payouts are answered',
    },
  },
  {
    name: 'verifications-pending',
    injected: 'users start verifications, and the provider ends none',
    begin: (environment, signal) =>
      repeat(signal, async () => {
        const person = createPerson(environment);
        await signIn(person);
        await person.ponte.updateMe({ homeCurrency: 'GBP' });
        await person.ponte.startVerification();
      }),
    past: [hitFor(120)],
    rings: ['PonteVerificationsPending'],
    silent: { PonteVerificationsFail: 'none has ended', PonteStateTooLong: 'users may take their time' },
  },
  {
    name: 'effects-paused',
    injected: 'an operator has paused an effect and forgotten it',
    begin: ({ ops }) => ops(['effects', 'pause', 'validateBankDetails', '--reason', 'a drill']),
    past: [hitFor(5 * 60)],
    rings: ['PonteEffectsPaused'],
    silent: { PonteOutboxGrows: 'paused work is not due', PonteWorkFails: 'it is not tried' },
  },
  {
    name: 'rotation-unfinished',
    injected: 'a rotation of the webhook secret waits for its last call for a day',
    begin: ({ ops, folder }) =>
      ops(['webhook-secret', 'rotate', '--reason', 'a drill', '--file', `${folder}/webhook`]),
    past: [hitFor(25 * 60)],
    spoils: true,
    rings: ['PonteRotationUnfinished'],
    mayRing: ['PonteNightNeverEnded'],
    silent: { PonteCallbacksRejected: 'both secrets are accepted' },
  },
  {
    name: 'data-request-due',
    injected: "a data subject's request is due in three days (its row is made older)",
    begin: async ({ people: [person], sql }, signal) => {
      await person?.ponte.requestData({ type: 'access' });
      await repeat(signal, () => sql("update data_requests set due_at = now() + interval '3 days'"));
    },
    past: [hitFor(90)],
    rings: ['PonteDataRequestDue'],
    silent: { PonteStateTooLong: 'a request has no state that ends by itself' },
  },
  {
    name: 'nights-never-end',
    injected: 'no nightly job has ended for 27 hours',
    begin: async () => undefined,
    past: [hitFor(27 * 60)],
    rings: ['PonteNightNeverEnded'],
    silent: { PonteNightLate: 'it is for jobs that have ended before' },
  },
  {
    name: 'night-unchecked',
    injected: 'the reconciliation leaves payouts unchecked, because the provider does not tell them',
    begin: async (environment) => {
      await payTo(environment, 'slow');
      await failNext(environment, 'getPayout', 'error500');
      await environment.ops(['reconciliation', 'run', '--reason', 'a drill']);
    },
    past: [hitFor(5 * 60)],
    rings: ['PonteNightUnchecked'],
    mayRing: ['PonteProviderFails', 'PonteCallbacksLate', 'PonteCircuitOpen', 'PonteWorkFails'],
    silent: { PonteNightLate: 'the night has ended', PonteVanished: 'a 500 is no 404' },
  },
  {
    name: 'heap-fills',
    injected: 'a leak fills nine tenths of the memory of both processes',
    begin: ({ reconfigure }) =>
      reconfigure({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(LEAK)}` }),
    past: [hitFor(30)],
    rings: ['PonteHeapNearLimit'],
    silent: { PonteProcessRestarts: 'it still runs', PonteProcessDown: 'it answers' },
  },
  {
    name: 'traffic-stops',
    injected: 'no user sends a request, as when the load balancer is gone',
    begin: async () => undefined,
    usersStop: true,
    past: [lastWeek, hitFor(30)],
    rings: ['PonteTrafficStops'],
    silent: { PonteNoProcess: 'the processes run', PonteCallbacksMissing: 'no payment ends' },
  },
];

/** Numbers that are never read again. */
const LEAK = 'globalThis.leak = Array.from({ length: 42 }, () => new Array(1e6).fill(1.5))';

// Incidents that show in the records: the provider contradicts our rows, lists something else, or a row was changed by hand.
import { randomUUID } from 'node:crypto';
import { pay } from '../../../harness/people/person.ts';
import { unattended } from '../../../src/provider/caller.ts';
import { connectProvider } from '../../../src/provider/client.ts';
import { readConfig } from '../../../src/start/config.ts';
import type { Environment } from '../environment.ts';
import { failNext, HOUR_MS, type Incident, payoutTo, repeat } from './incident.ts';

const PAYMENT_STOPS = ['PonteManualReview', 'PontePaymentsObjective'];

export const recordIncidents: Incident[] = [
  {
    name: 'wrong-amount',
    injected: 'a conversion delivers one centavo less than quoted',
    begin: async ({ people: [person] }) => {
      if (person) await pay(person, 8.88, { pixKey: 'shop@example.com', pixKeyType: 'email' });
    },
    spoils: true,
    rings: ['PonteManualReview'],
    silent: { PontePayoutsFail: 'no payout began' },
  },
  {
    name: 'debit-differs',
    injected: 'a conversion debits another amount than quoted',
    begin: (environment) => failNext(environment, 'createInternalTransfer', 'wrongDebit', { times: 1 }),
    rings: ['PonteAmountDiffers'],
    mayRing: PAYMENT_STOPS,
    silent: { PonteNotAsOrdered: 'the conversion is the one that was requested' },
  },
  {
    name: 'payout-differs',
    injected: 'a payout pays another amount than requested',
    begin: (environment) => failNext(environment, 'createPayout', 'wrongPayout', { times: 1 }),
    rings: ['PonteNotAsOrdered'],
    mayRing: PAYMENT_STOPS,
    silent: {
      PonteAmountDiffers: 'the conversions are right',
      PonteStateTooLong: 'a payout may take an hour',
    },
  },
  {
    name: 'payout-overturned',
    injected: 'the provider reports a completed payout as failed, and a reconciliation finds it',
    begin: async (environment) => {
      const uuid = await payoutTo(environment, 'shop', 'completed');
      const fields = { status: 'FAILED', updated_at: new Date(Date.now() + HOUR_MS).toISOString() };
      await environment.control('POST', '/faults/report', { uuid, fields });
      await environment.ops(['reconciliation', 'run', '--reason', 'a drill']);
    },
    spoils: true,
    rings: ['PonteContradiction'],
    mayRing: PAYMENT_STOPS,
    silent: { PontePayoutsFail: 'it was one' },
  },
  {
    name: 'twin',
    injected: 'the provider makes a second payout under the handle of a completed one',
    begin: async (environment) => {
      const uuid = await payoutTo(environment, 'shop', 'completed');
      await environment.control('POST', '/faults/twin', { uuid });
    },
    spoils: true,
    rings: ['PonteTwin'],
    mayRing: PAYMENT_STOPS,
    silent: { PonteNotOrdered: 'our row requested the payout' },
  },
  {
    name: 'payout-vanished',
    injected: 'the provider no longer knows a pending payout',
    begin: async (environment) => {
      const uuid = await payoutTo(environment, 'slow', 'pending');
      const absence = { by_uuid: true, by_handle: true, forMs: HOUR_MS };
      await environment.control('POST', '/faults/vanish', { uuid, ...absence });
    },
    spoils: true,
    rings: ['PonteVanished'],
    mayRing: PAYMENT_STOPS,
    silent: { PonteStateTooLong: 'a payout may take an hour' },
  },
  {
    name: 'provider-clock-back',
    injected: 'the clock of the provider steps back after a payout',
    begin: (environment) => failNext(environment, 'createPayout', 'jumpingClock', { times: 20 }),
    rings: ['PonteClockSteppedBack'],
    mayRing: PAYMENT_STOPS,
    silent: { PonteContradiction: 'the states agree' },
  },
  {
    name: 'not-ordered',
    injected: "money leaves a user's account at the provider without our order",
    begin: async (environment) => {
      await payOutside(environment);
      await environment.ops([...RECONCILE]);
    },
    rings: ['PonteNotOrdered'],
    silent: { PonteTwin: 'it has no handle of ours', PonteManualReview: 'no payment is concerned' },
  },
  {
    name: 'unreadable',
    injected: 'the provider lists payouts with an unknown status',
    begin: async (environment, signal) => {
      await failNext(environment, 'createPayout', 'unreadable', { times: 3 });
      await repeat(signal, () => environment.ops([...RECONCILE]), 20_000);
    },
    rings: ['PonteUnreadable'],
    mayRing: ['PonteNightUnchecked'],
    silent: { PonteNotAsOrdered: 'the payout itself is right', PonteStateTooLong: 'payouts complete' },
  },
  {
    name: 'audit-changed',
    injected: 'somebody changes a row of the audit record, and the night verifies it',
    begin: async ({ ops, sql }) => {
      await ops(['effects', 'pause', 'startReturn', '--reason', 'a drill']);
      await ops(['effects', 'resume', 'startReturn', '--reason', 'a drill']);
      await sql('alter table audit_events disable trigger user');
      await sql("update audit_events set action = 'none' where seq = (select max(seq) from audit_events)");
      await sql("update job_runs set due_at = now() where job = 'audit-verify' and finished_at is null");
    },
    spoils: true,
    rings: ['PonteAuditChainBroken'],
    silent: { PonteNightUnchecked: 'the job has checked everything' },
  },
  {
    name: 'night-ahead',
    injected: 'a list was planned two hours ahead, by a clock that was ahead',
    begin: ({ sql }) =>
      sql(
        "insert into provider_cursors (list, updated_at, planned_to) values ('payouts', now(), now() + interval '2 hours') on conflict (list) do update set planned_to = excluded.planned_to",
      ),
    rings: ['PonteListPlannedAhead'],
    silent: { PonteNightLate: 'the last night has ended' },
  },
  {
    name: 'night-missed',
    injected: 'the reconciliation last ended 27 hours ago (its row is made older)',
    begin: async ({ ops, sql }, signal) => {
      await ops([...RECONCILE]);
      await repeat(signal, () =>
        sql(
          "update job_runs set finished_at = now() - interval '27 hours' where job = 'reconcile' and finished_at is not null",
        ),
      );
    },
    rings: ['PonteNightLate'],
    silent: {
      PonteNightUnchecked: 'nothing was left unchecked',
      PonteNightNeverEnded: 'it has ended before',
    },
  },
];

const RECONCILE = ['reconciliation', 'run', '--reason', 'a drill'] as const;

/** Pays from the first user's account as somebody else who has our password of the provider. */
async function payOutside({ settings, sql }: Environment): Promise<void> {
  const { provider, publicBaseUrl } = readConfig(settings);
  const connection = connectProvider({
    ...provider,
    callbackUrl: `${publicBaseUrl}/elsewhere`,
    observer: { called: () => undefined, opened: () => undefined, closed: () => undefined },
  });
  try {
    const [account] = (await sql(
      "select provider_account_id as ref from provider_accounts where currency = 'GBP' limit 1",
    )) as { ref: string }[];
    await connection.for(unattended).createPayout({
      handle: randomUUID(),
      sourceAccountRef: account?.ref ?? '',
      amountMinor: 1_234,
      currency: 'GBP',
      destination: {
        rail: 'FPS',
        details: {
          currency: 'GBP',
          accountHolderName: 'Nobody',
          accountNumber: '31926819',
          sortCode: '60-16-13',
        },
      },
    });
  } finally {
    await connection.close();
  }
}

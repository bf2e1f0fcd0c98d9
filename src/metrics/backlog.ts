// Counts unfinished work in the database when the metrics are scraped. Each count uses an index of the unfinished rows and stops at
// a limit, so that a scrape stays cheap even with a large backlog.
import { Registry } from 'prom-client';
import { unfinished } from '../../machines/states.ts';
import { type Currency, unitsOf } from '../domain/currency.ts';
import { type JobOutcome, jobOutcomes } from '../jobs/outcomes.ts';
import { type Age, agesOf } from '../lifecycle/ages.ts';
import { DatabaseTime } from '../platform/database/database-time.ts';
import { inDbTransaction } from '../platform/database/db-transaction.ts';
import {
  countOutbox,
  countUnfinished,
  DUE_SOON_MS,
  listOldestDiscrepancies,
  SHOWN_AFTER_FAILURES,
  sumWaitingMoney,
  waitingForSomebody,
} from '../tables/backlog.ts';
import { discrepancyKinds } from '../tables/discrepancies/entity.ts';
import { listFindingKinds } from '../tables/list-findings/entity.ts';
import type { Db } from '../tables/orm.ts';
import { addGauge } from './gauges.ts';

const STATEMENT_TIMEOUT_MS = 2_000;

type Count = {
  name: string;
  help: string;
  /** The label, and those of its values that are shown even if no row has them. */
  by?: { label: string; always: readonly string[] };
  /** Counts the rows by the label's value. */
  counted: (typeof countUnfinished)[keyof typeof countUnfinished];
};

const counts: Count[] = [
  {
    name: 'ponte_effects',
    help: 'Effects that are queued, and those whose attempts are exhausted.',
    by: { label: 'status', always: ['queued', 'exhausted'] },
    counted: countUnfinished.effects,
  },
  {
    name: 'ponte_failing_work',
    help: `Unfinished work that has failed ${SHOWN_AFTER_FAILURES} times in a row or more.`,
    by: { label: 'kind', always: ['effect', 'callback', 'poll', 'nightly run'] },
    counted: countUnfinished.failingWork,
  },
  {
    name: 'ponte_pix_payments',
    help: 'PIX payments that are unfinished or wait for an operator, until an operator has acknowledged them.',
    by: { label: 'state', always: unfinished.pix_payment },
    counted: countUnfinished.pixPayments,
  },
  {
    name: 'ponte_withdraws',
    help: 'Withdrawals that are unfinished.',
    by: { label: 'state', always: unfinished.withdraw },
    counted: countUnfinished.withdraws,
  },
  {
    name: 'ponte_partial_returns',
    help: 'Parts of completed payments that came back and are not converted to the home currency.',
    by: { label: 'state', always: unfinished.payout_refund },
    counted: countUnfinished.partialReturns,
  },
  {
    name: 'ponte_webhook_events',
    help: 'Callbacks that are not processed yet, and callbacks that match no resource.',
    by: { label: 'status', always: ['received', 'unmatched'] },
    counted: countUnfinished.webhookEvents,
  },
  {
    name: 'ponte_waiting_unknown_callbacks',
    help: 'Callbacks that name an unknown object and wait until it is fetched.',
    counted: countUnfinished.unknownCallbacks,
  },
  {
    name: 'ponte_discrepancies',
    help: 'Discrepancies with the provider that no operator has resolved yet.',
    by: { label: 'kind', always: [...discrepancyKinds, ...listFindingKinds] },
    counted: countUnfinished.discrepancies,
  },
  {
    name: 'ponte_data_requests_due_soon',
    help: 'Open requests of data subjects that are due within seven days or overdue.',
    counted: countUnfinished.dataRequestsDueSoon,
  },
  {
    name: 'ponte_open_circuits',
    help: 'Processes whose circuit is open, by their heartbeats of the last minute.',
    counted: countUnfinished.openCircuits,
  },
  {
    name: 'ponte_effect_pauses',
    help: 'Kinds of effect that an operator has paused.',
    counted: countUnfinished.effectPauses,
  },
  {
    name: 'ponte_unfinished_secret_rotations',
    help: 'Rotations of the webhook secret that an operator has not completed.',
    counted: countUnfinished.secretRotations,
  },
  {
    name: 'ponte_audit_chain_breaks',
    help: 'Breaks in the chain of the audit record that the last nightly verification found.',
    counted: countUnfinished.auditChainBreaks,
  },
  {
    name: 'ponte_lists_planned_ahead',
    help: 'Lists of the provider that were planned beyond the present time because a clock was ahead.',
    counted: countUnfinished.listsPlannedAhead,
  },
];

/**
 * Counts the backlog.
 * @returns a new registry for each count, so that a value that could not be counted is absent and never stale.
 * @throws the database's error if it does not answer in time.
 */
export const countBacklog = (db: Db, now: Date): Promise<Registry> =>
  inDbTransaction(
    db,
    async (tx) => {
      const registry = new Registry();
      const databaseNow = await DatabaseTime.read(tx);
      await addOutboxGauges(registry, tx, databaseNow);
      const soon = databaseNow.plus(DUE_SOON_MS);
      for (const one of counts) await addCount(registry, tx, one, soon);
      addMoneyGauges(registry, await sumWaitingMoney(tx, {}));
      addDiscrepancyAges(registry, await listOldestDiscrepancies(tx, {}), now);
      addAgeGauges(registry, await agesOf(tx, now), now);
      addNightlyGauges(registry, await jobOutcomes(tx, now));
      return registry;
    },
    { statementMs: STATEMENT_TIMEOUT_MS },
  );

async function addOutboxGauges(registry: Registry, tx: Db, now: DatabaseTime): Promise<void> {
  const lines = await countOutbox(tx, { now });
  addGauge(
    registry,
    'ponte_outbox_rows',
    'Rows of work: due, planned for later, or running in a process.',
    lines.flatMap(({ kind, due, later, running }) =>
      Object.entries({ due, later, running }).map(([state, value]) => ({ labels: { kind, state }, value })),
    ),
  );
  addGauge(
    registry,
    'ponte_oldest_due_age_seconds',
    'How long the oldest due work that no process runs has been due.',
    lines.map(({ kind, oldestDueAt }) => ({
      labels: { kind },
      value: secondsSince(oldestDueAt, now.toDate()),
    })),
  );
}

async function addCount(
  registry: Registry,
  tx: Db,
  { name, help, by, counted }: Count,
  soon: DatabaseTime,
): Promise<void> {
  const rows = await counted(tx, { soon });
  const found = new Map((by?.always ?? ['']).map((value) => [value, 0]));
  for (const row of rows) found.set(row.value, row.found);
  addGauge(
    registry,
    name,
    help,
    [...found].map(([value, total]) => ({ labels: by ? { [by.label]: value } : {}, value: total })),
  );
}

/** The currencies of each reason for which money waits. */
const waitingCurrencies: Record<string, readonly Currency[]> = {
  ...Object.fromEntries(waitingForSomebody.map((state) => [state, ['GBP', 'EUR']])),
  not_ordered: ['GBP', 'EUR', 'BRL', 'USDC'],
};

function addMoneyGauges(
  registry: Registry,
  sums: { reason: string; currency: Currency; minor: number }[],
): void {
  const sumOf = (reason: string, currency: Currency): number =>
    sums.find((sum) => sum.reason === reason && sum.currency === currency)?.minor ?? 0;
  addGauge(
    registry,
    'ponte_waiting_money',
    'Money that waits for a person, in units of its currency: what payments took, and what left accounts without our order.',
    Object.entries(waitingCurrencies).flatMap(([reason, currencies]) =>
      currencies.map((currency) => ({
        labels: { reason, currency },
        value: unitsOf(sumOf(reason, currency), currency),
      })),
    ),
  );
}

function addDiscrepancyAges(registry: Registry, oldest: { kind: string; since: Date }[], now: Date): void {
  addGauge(
    registry,
    'ponte_oldest_discrepancy_age_seconds',
    'How long ago the oldest open discrepancy was recorded; 0 if there is none.',
    discrepancyKinds.map((kind) => ({
      labels: { kind },
      value: secondsSince(oldest.find((one) => one.kind === kind)?.since ?? null, now),
    })),
  );
}

/** A payment that does not move shows in its age, even if no other alarm detects it. */
function addAgeGauges(registry: Registry, ages: Age[], now: Date): void {
  const byState = [...Map.groupBy(ages, ({ lifecycle, state }) => `${lifecycle} ${state}`).values()].map(
    (groups) => ({
      labels: { lifecycle: groups[0]?.lifecycle ?? '', state: groups[0]?.state ?? '' },
      groups,
    }),
  );
  addGauge(
    registry,
    'ponte_oldest_unfinished_age_seconds',
    'How long the oldest unfinished row has been in its state; 0 if there is no such row.',
    byState.map(({ labels, groups }) => ({
      labels,
      value: Math.max(...groups.map(({ oldestSince }) => secondsSince(oldestSince, now))),
    })),
  );
  addGauge(
    registry,
    'ponte_unfinished_past_limit',
    'Rows that have been in their state for longer than its limit.',
    byState.map(({ labels, groups }) => ({
      labels,
      value: groups.reduce((sum, { pastLimit }) => sum + pastLimit, 0),
    })),
  );
}

/** Returns the seconds since a time, at least 0: the clocks of two processes differ a little. */
const secondsSince = (at: Date | null, now: Date): number =>
  at === null ? 0 : Math.max(0, (now.getTime() - at.getTime()) / 1_000);

/**
 * A night that failed or did not end shows as the age of the last success. The label is not `job`: Prometheus gives each scraped series its
 * own `job` and renames ours, so a rule by `job` would take all jobs for one.
 */
function addNightlyGauges(registry: Registry, outcomes: JobOutcome[]): void {
  addGauge(
    registry,
    'ponte_nightly_last_success_timestamp_seconds',
    'When the job last ended with nothing left unchecked, in seconds since 1970; 0 before the first time.',
    outcomes.map(({ job, lastSuccessAt }) => ({
      labels: { nightly_job: job },
      value: (lastSuccessAt?.getTime() ?? 0) / 1_000,
    })),
  );
  addGauge(
    registry,
    'ponte_nightly_unchecked',
    'Items that the last run of the job to end left unchecked.',
    outcomes.map(({ job, unchecked }) => ({ labels: { nightly_job: job }, value: unchecked })),
  );
}

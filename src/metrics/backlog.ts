// Unfinished work, counted in the database when the metrics are scraped. Each count uses an index of the unfinished rows and
// stops at a limit, so that a scrape stays cheap when the backlog is at its largest.
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { unfinished } from '../../machines/states.ts';
import { oneOf } from '../database/one-of.ts';
import type { Db } from '../database/orm.ts';
import { inTransaction } from '../database/transaction.ts';
import { discrepancyKinds } from '../entities/discrepancy.ts';
import { listFindingKinds } from '../entities/list-finding.ts';
import { jobOutcomes } from '../nightly/outcomes.ts';
import { isNotAcknowledged } from '../queries/acknowledged.ts';
import { agesOf } from '../queries/ages.ts';
import { dataRequestsDueSoon } from '../queries/attention.ts';
import { failingWork, SHOWN_AFTER_FAILURES } from '../queries/failing-work.ts';
import { outboxByKind } from '../queries/outbox.ts';
import { chainBreaksFound } from '../sql/chain-breaks.ts';
import { isRotationUnfinished } from '../sql/webhook-secrets.ts';
import { addAgeGauges } from './ages.ts';
import { addGauge } from './gauges.ts';
import { addNightlyGauges } from './nightly.ts';

const COUNTED_AT_MOST = 50_000;
const STATEMENT_TIMEOUT_MS = 2_000;

type Count = {
  name: string;
  help: string;
  /** The label, and the values of it that are shown also where there are no rows. */
  by?: { label: string; always: readonly string[] };
  /** One row for each thing counted, with the label's value as `value`. */
  rows: ReturnType<typeof sql>;
};

const counts: Count[] = [
  {
    name: 'ponte_effects',
    help: 'Effects that are queued, and those whose attempts are exhausted.',
    by: { label: 'status', always: ['queued', 'exhausted'] },
    rows: sql`select status as value from effects where status in ('queued', 'exhausted')`,
  },
  {
    name: 'ponte_failing_work',
    help: `Unfinished work that has failed ${SHOWN_AFTER_FAILURES} times in a row or more.`,
    by: { label: 'kind', always: ['effect', 'callback', 'poll', 'nightly run'] },
    rows: sql`select kind as value from ${failingWork}`,
  },
  {
    name: 'ponte_pix_payments',
    help: 'PIX payments that are unfinished or wait for an operator, until an operator has acknowledged them.',
    by: { label: 'state', always: unfinished.pix_payment },
    rows: sql`select state as value from pix_payments where state in ${oneOf(unfinished.pix_payment)} and ${isNotAcknowledged}`,
  },
  {
    name: 'ponte_withdraws',
    help: 'Withdrawals that are unfinished.',
    by: { label: 'state', always: unfinished.withdraw },
    rows: sql`select state as value from withdraws where state in ${oneOf(unfinished.withdraw)}`,
  },
  {
    name: 'ponte_webhook_events',
    help: 'Callbacks that wait to be processed, and those that match no resource of ours.',
    by: { label: 'status', always: ['received', 'unmatched'] },
    rows: sql`select status as value from webhook_events where status in ('received', 'unmatched')`,
  },
  {
    name: 'ponte_discrepancies',
    help: 'Discrepancies with the provider that no operator has resolved yet.',
    by: { label: 'kind', always: [...discrepancyKinds, ...listFindingKinds] },
    rows: sql`select kind::text as value from discrepancies where resolved_at is null
      union all select kind::text from list_findings where resolved_at is null`,
  },
  {
    name: 'ponte_data_requests_due_soon',
    help: 'Open requests of data subjects that are to be answered within seven days, or are late.',
    rows: sql`select '' as value from ${dataRequestsDueSoon}`,
  },
  {
    name: 'ponte_open_circuits',
    help: 'Processes whose circuit is open, by their heartbeats of the last minute.',
    rows: sql`select '' as value from open_circuits where heartbeat_at > now() - interval '1 minute'`,
  },
  {
    name: 'ponte_effect_pauses',
    help: 'Kinds of effect that an operator has paused.',
    rows: sql`select '' as value from effect_pauses`,
  },
  {
    name: 'ponte_unfinished_secret_rotations',
    help: 'Rotations of the webhook secret that an operator has not completed.',
    rows: sql`select '' as value from webhook_secrets where ${isRotationUnfinished}`,
  },
  {
    name: 'ponte_audit_chain_breaks',
    help: 'Breaks in the chain of the audit record that the last nightly verification found.',
    rows: sql`select '' as value from generate_series(1, ${chainBreaksFound})`,
  },
];

/**
 * @returns a registry of its own for each count, so that a value that could not be counted is absent, never stale.
 * @throws when the database does not answer in time.
 */
export const countBacklog = (db: Db, now: Date): Promise<Registry> =>
  inTransaction(
    db,
    async (tx) => {
      const registry = new Registry();
      await addOutboxGauges(registry, tx, now);
      for (const one of counts) await addCount(registry, tx, one);
      addAgeGauges(registry, await agesOf(tx, now), now);
      addNightlyGauges(registry, await jobOutcomes(tx, now));
      return registry;
    },
    { statementMs: STATEMENT_TIMEOUT_MS },
  );

async function addOutboxGauges(registry: Registry, tx: Db, now: Date): Promise<void> {
  const lines = await outboxByKind(tx);
  addGauge(
    registry,
    {
      name: 'ponte_outbox_rows',
      help: 'Rows of work: due, planned for later, or running in a process.',
      labelNames: ['kind', 'state'],
    },
    lines.flatMap(({ kind, due, later, running }) =>
      Object.entries({ due, later, running }).map(([state, value]) => ({ labels: { kind, state }, value })),
    ),
  );
  addGauge(
    registry,
    {
      name: 'ponte_oldest_due_age_seconds',
      help: 'For how long the oldest work has been due that no process carries out.',
      labelNames: ['kind'],
    },
    lines.map(({ kind, oldestDueAt }) => ({
      labels: { kind },
      value: oldestDueAt === null ? 0 : Math.max(0, (now.getTime() - oldestDueAt.getTime()) / 1_000),
    })),
  );
}

async function addCount(registry: Registry, tx: Db, { name, help, by, rows: counted }: Count): Promise<void> {
  const { rows } = await sql<{ value: string; found: number }>`
    select value, count(*)::int as found from (${counted} limit ${COUNTED_AT_MOST}) counted group by value
  `.execute(tx);
  const found = new Map((by?.always ?? ['']).map((value) => [value, 0]));
  for (const row of rows) found.set(row.value, row.found);
  addGauge(
    registry,
    { name, help, labelNames: by ? [by.label] : [] },
    [...found].map(([value, total]) => ({ labels: by ? { [by.label]: value } : {}, value: total })),
  );
}

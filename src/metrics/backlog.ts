// What is still to be done, counted in the database when somebody looks. Each count goes by an index of the unfinished, and
// ends at a limit, so that looking stays cheap on the worst of days.
import { sql } from 'kysely';
import { unfinished } from '../../machines/states.ts';
import { chainBreaksFound } from '../audit/chain-breaks.ts';
import { oneOf } from '../database/one-of.ts';
import type { Db } from '../database/orm.ts';
import { discrepancyKinds } from '../entities/discrepancy.ts';
import { isNotAcknowledged } from '../queries/acknowledged.ts';
import { agesOf } from '../queries/ages.ts';
import { isUnfinished } from '../webhooks/rotation.ts';
import { ageFamilies } from './ages.ts';
import { type Family, gauge } from './registry.ts';

const COUNTED_AT_MOST = 50_000;
const PATIENCE_MS = 2_000;

type Count = {
  name: string;
  help: string;
  /** What tells the rows apart, and what to show of it even where there is nothing. */
  by?: { label: string; always: readonly string[] };
  /** One row for each thing counted, with the label's value as `value`. */
  rows: ReturnType<typeof sql>;
};

const counts: Count[] = [
  {
    name: 'ponte_effects',
    help: 'Effects that are ordered, and those given up on.',
    by: { label: 'status', always: ['queued', 'exhausted'] },
    rows: sql`select status as value from effects where status in ('queued', 'exhausted')`,
  },
  {
    name: 'ponte_pix_payments',
    help: 'PIX payments that can still change or wait for a person, until an operator has acknowledged them.',
    by: { label: 'state', always: unfinished.pix_payment },
    rows: sql`select state as value from pix_payments where state in ${oneOf(unfinished.pix_payment)} and ${isNotAcknowledged}`,
  },
  {
    name: 'ponte_withdraws',
    help: 'Withdrawals that are not at their end.',
    by: { label: 'state', always: unfinished.withdraw },
    rows: sql`select state as value from withdraws where state in ${oneOf(unfinished.withdraw)}`,
  },
  {
    name: 'ponte_webhook_events',
    help: 'Callbacks that wait to be processed, and those that match nothing of ours.',
    by: { label: 'status', always: ['received', 'unmatched'] },
    rows: sql`select status as value from webhook_events where status in ('received', 'unmatched')`,
  },
  {
    name: 'ponte_discrepancies',
    help: 'What the provider says and what we know do not agree, not yet resolved by a person.',
    by: { label: 'kind', always: discrepancyKinds },
    rows: sql`select kind as value from discrepancies where resolved_at is null`,
  },
  {
    name: 'ponte_open_circuits',
    help: 'Processes that have stopped asking the provider, as they said within the last minute.',
    rows: sql`select '' as value from open_circuits where heartbeat_at > now() - interval '1 minute'`,
  },
  {
    name: 'ponte_effect_pauses',
    help: 'Kinds of effect that an operator holds back.',
    rows: sql`select '' as value from effect_pauses`,
  },
  {
    name: 'ponte_unfinished_secret_rotations',
    help: 'Rotations of the webhook secret that somebody is still to end.',
    rows: sql`select '' as value from webhook_secrets where ${isUnfinished}`,
  },
  {
    name: 'ponte_audit_breaks',
    help: 'Breaks in the audit record, as the last night found them.',
    rows: sql`select '' as value from generate_series(1, ${chainBreaksFound})`,
  },
];

/** @throws when the database does not answer in time. */
export const countBacklog = (db: Db, now: Date): Promise<Family[]> =>
  db.transaction().execute(async (tx) => {
    await sql`select set_config('statement_timeout', ${String(PATIENCE_MS)}, true)`.execute(tx);
    const families = await queueFamilies(tx);
    for (const one of counts) families.push(await familyOf(tx, one));
    families.push(...ageFamilies(await agesOf(tx, now), now));
    return families;
  });

async function queueFamilies(tx: Db): Promise<Family[]> {
  const { rows } = await sql<{ task: string; jobs: number; ageSeconds: number }>`
    select task.identifier as task, count(job.run_at)::int as jobs,
      coalesce(greatest(0, extract(epoch from now() - min(job.run_at))), 0)::float8 as "ageSeconds"
    from graphile_worker._private_tasks task
    left join (select task_id, run_at from graphile_worker._private_jobs limit ${COUNTED_AT_MOST}) job
      on job.task_id = task.id
    group by task.identifier
    order by task.identifier
  `.execute(tx);
  return [
    gauge(
      'ponte_jobs',
      'Jobs in the queue, those for later included.',
      rows.map(({ task, jobs }) => ({ labels: { task }, value: jobs })),
    ),
    gauge(
      'ponte_oldest_job_age_seconds',
      'For how long the oldest job could have been run.',
      rows.map(({ task, ageSeconds }) => ({ labels: { task }, value: ageSeconds })),
    ),
  ];
}

async function familyOf(tx: Db, { name, help, by, rows: counted }: Count): Promise<Family> {
  const { rows } = await sql<{ value: string; found: number }>`
    select value, count(*)::int as found from (${counted} limit ${COUNTED_AT_MOST}) counted group by value
  `.execute(tx);
  const found = new Map((by?.always ?? ['']).map((value) => [value, 0]));
  for (const row of rows) found.set(row.value, row.found);
  return gauge(
    name,
    help,
    [...found].map(([value, total]) => ({ labels: by ? { [by.label]: value } : {}, value: total })),
  );
}

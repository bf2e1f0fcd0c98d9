// Counts and lists of unfinished work in all tables, for metrics and operators.
import { type RawBuilder, sql } from 'kysely';
import { awaitsUser, needsSupport, unfinished } from '../../machines/states.ts';
import type { Currency } from '../domain/currency.ts';
import type { DatabaseTime } from '../platform/database/database-time.ts';
import { oneOf } from '../platform/database/one-of.ts';
import type { Prepared } from '../platform/database/prepared.ts';
import { chainBreaksFound } from './audit-events/chain-breaks.ts';
import type { Entities } from './entities.ts';
import { isNotAcknowledged } from './pix-payments/statements.ts';
import { prepared } from './prepared.ts';
import { isRotationUnfinished } from './webhook-secrets/statements.ts';
import type { WorkKind } from './work.ts';

/** The counts stop at this limit, so that they stay cheap when the backlog is at its largest. */
const COUNTED_AT_MOST = 50_000;

export type OutboxLine = {
  kind: WorkKind | 'nightly run';
  rows: number;
  /** Rows that are due and that no process has leased. */
  due: number;
  later: number;
  /** Rows that a process has leased. */
  running: number;
  oldestDueAt: Date | null;
};

/** Counts the rows of the outbox by kind of work, with a line for each kind, also if it has no rows. */
export const countOutbox = prepared.all(
  (_db, { now }: { now: DatabaseTime }) => sql<OutboxLine>`
    select kind, count(due_at)::int as rows,
      count(*) filter (where leased_by is null and due_at <= ${now})::int as due,
      count(*) filter (where leased_by is null and due_at > ${now})::int as later,
      count(*) filter (where leased_by is not null)::int as running,
      min(due_at) filter (where leased_by is null and due_at <= ${now}) as "oldestDueAt"
    from (values (1, 'effect'), (2, 'callback'), (3, 'poll'), (4, 'nightly run')) as kinds (place, kind)
    left join (
      (select 1 as of_kind, due_at, leased_by from effects
        where leased_by is null and due_at is not null limit ${sql.lit(COUNTED_AT_MOST)})
      union all
      (select 1, due_at, leased_by from effects where leased_by is not null and due_at is not null)
      union all
      (select 2, due_at, leased_by from webhook_events
        where leased_by is null and due_at is not null limit ${sql.lit(COUNTED_AT_MOST)})
      union all
      (select 2, due_at, leased_by from webhook_events where leased_by is not null and due_at is not null)
      union all
      (select 3, next_poll_at, leased_by from provider_resources
        where leased_by is null and next_poll_at is not null limit ${sql.lit(COUNTED_AT_MOST)})
      union all
      (select 3, next_poll_at, leased_by from provider_resources
        where leased_by is not null and next_poll_at is not null)
      union all
      (select 4, due_at, leased_by from job_runs where due_at is not null)
    ) as work on work.of_kind = kinds.place
    group by place, kind
    order by place`,
);

/** After this many failures in a row, work is shown to operators. The indexes `*_failing` repeat the number. */
export const SHOWN_AFTER_FAILURES = 5;

const failures = sql.lit(SHOWN_AFTER_FAILURES);

/** One row per effect, callback, poll or nightly run that is not finished and has failed at least five times in a row. */
const failingWork = sql`(
  select 'effect' as kind, id::text as id, type || ' of ' || subject_kind || ' ' || subject_id as about,
    attempts as failures, due_at as "dueAt", last_error as "lastError"
  from effects where due_at is not null and attempts >= ${failures}
  union all
  select 'callback', id::text, event_type, attempts, due_at, null
  from webhook_events where due_at is not null and attempts >= ${failures}
  union all
  select 'poll', handle::text, kind || ' of ' || subject_kind || ' ' || subject_id, poll_failures, next_poll_at, null
  from provider_resources where next_poll_at is not null and poll_failures >= ${failures}
  union all
  select 'nightly run', run, job, failures, due_at, null
  from job_runs where due_at is not null and failures >= ${failures}
) failing`;

export type FailingWork = {
  kind: WorkKind | 'nightly run';
  id: string;
  /** The type and subject of the effect or resource, the event of the callback, or the job. */
  about: string;
  failures: number;
  dueAt: Date;
  /** Only effects keep their last error. The log has the others. */
  lastError: string | null;
};

/** Lists work that keeps failing, the most failures first. It is retried at growing intervals, and operators see it here. */
export const listFailingWork = prepared.all(
  (_db, { limit }: { limit: number }) => sql<FailingWork>`
    select * from ${failingWork} order by failures desc, "dueAt" limit ${limit}`,
);

/** A request of a data subject that is due within a week is due soon. */
export const DUE_SOON_MS = 7 * 24 * 60 * 60_000;

/** The end of the time that counts as soon. */
type Soon = { soon: DatabaseTime };

/** The open requests of data subjects that are due soon. */
const dataRequestsDueSoon = (soon: DatabaseTime) =>
  sql`data_requests where status = 'open' and due_at < ${soon}`;

const waitingForPeople = (soon: DatabaseTime) =>
  ({
    /** Payments in `manual_review` that no operator has acknowledged. */
    manualReview: sql`pix_payments where state in ${oneOf(needsSupport.pix_payment)} and ${isNotAcknowledged}`,
    /** Parts of completed payments that came back and are not converted. */
    partialReturns: sql`payout_refunds where state in ${oneOf(unfinished.payout_refund)}`,
    payoutFailed: sql`pix_payments where state in ${oneOf(awaitsUser.pix_payment)}`,
    exhaustedEffects: sql`effects where status = 'exhausted'`,
    failingWork,
    unmatchedCallbacks: sql`webhook_events where status = 'unmatched'`,
    /** Also entries of the provider's lists that could not be read. */
    openDiscrepancies: sql`(
    select id from discrepancies where resolved_at is null
    union all select id from list_findings where resolved_at is null
  ) open`,
    openDataRequests: sql`data_requests where status = 'open'`,
    dataRequestsDueSoon: dataRequestsDueSoon(soon),
  }) satisfies Record<string, RawBuilder<unknown>>;

export type Attention = Record<keyof ReturnType<typeof waitingForPeople>, number>;

/** Counts the rows that no job can finish, because they wait for their user or for an operator. */
export const countWaitingForPeople = prepared.first(
  (_db, { soon }: Soon) =>
    sql<Attention>`select ${sql.join(
      Object.entries(waitingForPeople(soon)).map(
        ([name, rows]) => sql`(select count(*) from ${rows}) as ${sql.id(name)}`,
      ),
    )}`,
);

/** The states in which a payment waits for its user or for an operator. */
export const waitingForSomebody = [...needsSupport.pix_payment, ...awaitsUser.pix_payment];

/**
 * Sums the money that waits for a person, in minor units: what payments have taken that wait for their user or an operator, and what
 * left accounts without an order of ours.
 */
export const sumWaitingMoney = prepared.all(
  () => sql<{ reason: string; currency: Currency; minor: number }>`
    select reason, currency, sum(minor)::bigint as minor from (
      (select state::text as reason, source_currency::text as currency, source_amount_minor as minor from pix_payments
        where state in ${oneOf(waitingForSomebody)} and ${isNotAcknowledged} limit ${sql.lit(COUNTED_AT_MOST)})
      union all
      (select kind::text, account.currency::text, coalesce(event_data ->> 'amountMinor', event_data ->> 'sourceAmountMinor')::bigint
        from discrepancies join provider_accounts as account
          on account.id = discrepancies.subject_id and account.user_id = discrepancies.user_id
        where resolved_at is null and kind = 'not_ordered' limit ${sql.lit(COUNTED_AT_MOST)})
    ) waiting group by reason, currency`,
);

/** Lists when the oldest open discrepancy of each kind was recorded. */
export const listOldestDiscrepancies = prepared.all(
  () => sql<{ kind: string; since: Date }>`
    select kind, min(occurred_at) as since from (
      select kind, occurred_at from discrepancies where resolved_at is null
      order by occurred_at limit ${sql.lit(COUNTED_AT_MOST)}
    ) as open group by kind`,
);

/** @param rows has one row for each thing that is counted, with the value of its label as `value`. */
const countByValue = (
  rows: RawBuilder<unknown> | ((soon: DatabaseTime) => RawBuilder<unknown>),
): Prepared<Entities, Soon, { value: string; found: number }[]> =>
  prepared.all(
    (_db, { soon }: Soon) => sql<{ value: string; found: number }>`
    select value, count(*)::int as found
    from (${typeof rows === 'function' ? rows(soon) : rows} limit ${sql.lit(COUNTED_AT_MOST)}) counted group by value`,
  );

/** Each count uses an index of the unfinished rows. A count by one value only returns it as an empty text. */
export const countUnfinished = {
  effects: countByValue(sql`select status as value from effects where status in ('queued', 'exhausted')`),
  failingWork: countByValue(sql`select kind as value from ${failingWork}`),
  pixPayments: countByValue(
    sql`select state as value from pix_payments where state in ${oneOf(unfinished.pix_payment)} and ${isNotAcknowledged}`,
  ),
  withdraws: countByValue(
    sql`select state as value from withdraws where state in ${oneOf(unfinished.withdraw)}`,
  ),
  partialReturns: countByValue(
    sql`select state as value from payout_refunds where state in ${oneOf(unfinished.payout_refund)}`,
  ),
  webhookEvents: countByValue(
    sql`select status as value from webhook_events where status in ('received', 'unmatched')`,
  ),
  unknownCallbacks: countByValue(
    sql`select '' as value from webhook_events where leased_by is null and due_at is not null and user_id is null`,
  ),
  discrepancies: countByValue(sql`select kind::text as value from discrepancies where resolved_at is null
    union all select kind::text from list_findings where resolved_at is null`),
  dataRequestsDueSoon: countByValue((soon) => sql`select '' as value from ${dataRequestsDueSoon(soon)}`),
  openCircuits: countByValue(
    sql`select '' as value from open_circuits where heartbeat_at > now() - interval '1 minute'`,
  ),
  effectPauses: countByValue(sql`select '' as value from effect_pauses`),
  secretRotations: countByValue(sql`select '' as value from webhook_secrets where ${isRotationUnfinished}`),
  listsPlannedAhead: countByValue(sql`select '' as value from provider_cursors where planned_to > now()`),
  auditChainBreaks: countByValue(sql`select '' as value from generate_series(1, ${chainBreaksFound})`),
};

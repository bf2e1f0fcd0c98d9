// What is in the outbox, by kind of work: for operators and for metrics. The counts stop at a limit, so that they stay cheap when
// the backlog is at its largest.
import { sql } from 'kysely';
import type { Db } from '../database/orm.ts';

const COUNTED_AT_MOST = 50_000;

export type OutboxLine = {
  kind: 'effect' | 'callback' | 'poll' | 'nightly run';
  rows: number;
  /** Due, and no process has them. */
  due: number;
  later: number;
  /** Leased to a process. */
  running: number;
  oldestDueAt: Date | null;
};

/** One line for each kind, also where there is nothing. */
export async function outboxByKind(db: Db): Promise<OutboxLine[]> {
  const { rows } = await sql<OutboxLine>`
    select kind, count(due_at)::int as rows,
      count(*) filter (where leased_by is null and due_at <= now())::int as due,
      count(*) filter (where leased_by is null and due_at > now())::int as later,
      count(*) filter (where leased_by is not null)::int as running,
      min(due_at) filter (where leased_by is null and due_at <= now()) as "oldestDueAt"
    from (values (1, 'effect'), (2, 'callback'), (3, 'poll'), (4, 'nightly run')) as kinds (place, kind)
    left join (
      (select 1 as of_kind, due_at, leased_by from effects
        where leased_by is null and due_at is not null limit ${COUNTED_AT_MOST})
      union all
      (select 1, due_at, leased_by from effects where leased_by is not null and due_at is not null)
      union all
      (select 2, due_at, leased_by from webhook_events
        where leased_by is null and due_at is not null limit ${COUNTED_AT_MOST})
      union all
      (select 2, due_at, leased_by from webhook_events where leased_by is not null and due_at is not null)
      union all
      (select 3, next_poll_at, leased_by from provider_resources
        where leased_by is null and next_poll_at is not null limit ${COUNTED_AT_MOST})
      union all
      (select 3, next_poll_at, leased_by from provider_resources
        where leased_by is not null and next_poll_at is not null)
      union all
      (select 4, due_at, leased_by from job_runs where due_at is not null)
    ) as work on work.of_kind = kinds.place
    group by place, kind
    order by place
  `.execute(db);
  return rows;
}

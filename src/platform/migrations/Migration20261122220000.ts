import { Migration } from '@mikro-orm/migrations';

/** The tables whose rows are work. They are updated often: vacuum and the planner have to follow. */
const HOT = ['effects', 'webhook_events', 'provider_resources'];

// Work is carried out from its own rows: when it is due, and which process has it. What the former queue knew of it is carried
// over; its schema stays until a later migration drops it.
export class Migration20261122220000 extends Migration {
  override name = 'Migration20261122220000';

  override up(): void | Promise<void> {
    this.addSql(`${refuseWhileWorkersLive};`);
    this.addSql(
      `create table processes (id uuid not null, name varchar(120) not null, heartbeat bigint not null default 0, started_at timestamptz(3) not null, heartbeat_at timestamptz(3) not null, primary key (id)) with (fillfactor = 50);`,
    );
    this.addSql(`alter table effects rename column next_attempt_at to due_at;`);
    this.addSql(`alter table webhook_events add due_at timestamptz(3) null;`);
    this.addSql(
      `alter table job_runs add due_at timestamptz(3) null, alter column started_at drop not null;`,
    );
    for (const table of [...HOT, 'job_runs'])
      this.addSql(`alter table ${table} add leased_by uuid null, add lease_token int not null default 0;`);
    this.addSql(`update effects set due_at = case when status = 'queued' then now() end;`);
    this.addSql(`update webhook_events set due_at = now() where status = 'received';`);
    this.addSql(`${carryOver};`);
    this.addSql(
      `alter table effects add constraint effects_due_check check ((status = 'queued') = (due_at is not null));`,
    );
    this.addSql(
      `alter table webhook_events add constraint webhook_events_due_check check ((status = 'received') = (due_at is not null));`,
    );
    for (const table of ['effects', 'webhook_events'])
      this.addSql(`create index ${table}_due on ${table} (leased_by, due_at) where due_at is not null;`);
    this.addSql(
      `create index provider_resources_leased on provider_resources (leased_by) where leased_by is not null;`,
    );
    // The stages of a reconciliation have become fewer: a run that was interrupted begins again.
    this.addSql(
      `update job_runs set position = '{"stage": 0, "page": {"after": null}}'::jsonb where job = 'reconcile' and finished_at is null;`,
    );
    for (const table of HOT)
      this.addSql(
        `alter table ${table} set (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.05);`,
      );
  }

  override down(): void | Promise<void> {
    for (const table of HOT)
      this.addSql(
        `alter table ${table} reset (fillfactor, autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold, autovacuum_analyze_scale_factor);`,
      );
    this.addSql(`drop index provider_resources_leased;`);
    for (const table of ['effects', 'webhook_events']) {
      this.addSql(`drop index ${table}_due;`);
      this.addSql(`alter table ${table} drop constraint ${table}_due_check;`);
    }
    for (const table of [...HOT, 'job_runs'])
      this.addSql(`alter table ${table} drop leased_by, drop lease_token;`);
    this.addSql(`delete from job_runs where started_at is null;`);
    this.addSql(`alter table job_runs drop due_at, alter column started_at set not null;`);
    this.addSql(`alter table webhook_events drop due_at;`);
    this.addSql(`alter table effects rename column due_at to next_attempt_at;`);
    this.addSql(`drop table processes;`);
  }
}

// A worker of the former version holds an advisory lock for as long as it lives. Every role can see the locks; what another
// role's session asks for, only some can.
const refuseWhileWorkersLive = `do $$ begin
  if exists (
    select from pg_locks
    where locktype = 'advisory' and granted and pid <> pg_backend_pid()
      and database = (select oid from pg_database where datname = current_database())
  ) then
    raise exception 'a worker of the former version is running: stop all processes before this migration';
  end if;
end $$`;

// Jobs of the former queue: when an effect, a callback, a poll or a run of a nightly job was due, and whether a worker died over
// an effect, so that a request may be on its way. A run that has not begun has no row yet. A fresh database has no such queue.
const carryOver = `do $$ begin
  if to_regclass('graphile_worker._private_jobs') is not null then
    update effects set due_at = job.run_at
    from graphile_worker._private_jobs job
    where effects.status = 'queued' and job.key = 'effect:' || effects.id and job.locked_at is null and job.run_at > now();
    update effects set attempts = effects.attempts + 1, last_unknown_at = now()
    from graphile_worker._private_jobs job
    where effects.status = 'queued' and job.key = 'effect:' || effects.id and job.locked_at is not null;
    update webhook_events set due_at = job.run_at
    from graphile_worker._private_jobs job
    where webhook_events.status = 'received' and job.key = 'webhook:' || webhook_events.id and job.run_at > now();
    update provider_resources set next_poll_at = least(next_poll_at, job.run_at)
    from graphile_worker._private_jobs job
    where next_poll_at is not null and job.key = 'check:' || provider_resources.handle;
    insert into job_runs (job, run, position, counts, updated_at, due_at)
    select task.identifier, coalesce(job.payload ->> 'run', left(job.payload -> '_cron' ->> 'ts', 10)),
      '{"stage": 0, "page": {"after": null}}', '{}', now(), greatest(job.run_at, now())
    from graphile_worker._private_jobs job
    join graphile_worker._private_tasks task on task.id = job.task_id
    where task.identifier in ('reconcile', 'purge-payloads', 'erase-due', 'audit-verify')
      and coalesce(job.payload ->> 'run', job.payload -> '_cron' ->> 'ts') is not null
    on conflict (job, run) do update set due_at = excluded.due_at where job_runs.finished_at is null;
    delete from graphile_worker._private_jobs;
  end if;
end $$`;

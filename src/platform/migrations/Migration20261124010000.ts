import { Migration } from '@mikro-orm/migrations';

// Claims go from user to user: their indexes begin with the user, and have the rows that no process has. Leased rows have an index of
// their own. A callback names its user while it waits; those that wait already are an unknown user's.
export class Migration20261124010000 extends Migration {
  override name = 'Migration20261124010000';

  override up(): void | Promise<void> {
    this.addSql(`drop index effects_due;`);
    this.addSql(
      `create index effects_due on effects (user_id, due_at) where leased_by is null and due_at is not null;`,
    );
    this.addSql(`drop index effects_urgent;`);
    this.addSql(
      `create index effects_urgent on effects (user_id, urgent_until) where leased_by is null and status = 'queued' and urgent_until is not null;`,
    );
    this.addSql(
      `create index effects_leased on effects (leased_by) where leased_by is not null and due_at is not null;`,
    );

    this.addSql(`alter table webhook_events add user_id uuid null;`);
    this.addSql(`drop index webhook_events_due;`);
    this.addSql(
      `create index webhook_events_due on webhook_events (coalesce(user_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid), due_at) where leased_by is null and due_at is not null;`,
    );
    this.addSql(
      `create index webhook_events_leased on webhook_events (leased_by) where leased_by is not null and due_at is not null;`,
    );

    this.addSql(`drop index provider_resources_due;`);
    this.addSql(
      `create index provider_resources_due on provider_resources (next_poll_at, handle) where leased_by is null and next_poll_at is not null;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index provider_resources_due;`);
    this.addSql(
      `create index provider_resources_due on provider_resources (next_poll_at) where next_poll_at is not null;`,
    );

    this.addSql(`drop index webhook_events_leased;`);
    this.addSql(`drop index webhook_events_due;`);
    this.addSql(`alter table webhook_events drop user_id;`);
    this.addSql(
      `create index webhook_events_due on webhook_events (leased_by, due_at) where due_at is not null;`,
    );

    this.addSql(`drop index effects_leased;`);
    this.addSql(`drop index effects_urgent;`);
    this.addSql(
      `create index effects_urgent on effects (urgent_until) where due_at is not null and urgent_until is not null;`,
    );
    this.addSql(`drop index effects_due;`);
    this.addSql(`create index effects_due on effects (leased_by, due_at) where due_at is not null;`);
  }
}

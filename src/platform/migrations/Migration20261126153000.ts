import { ConcurrentIndex } from './bases/concurrent-index.ts';

// Claims read the oldest due callbacks. Version 0.3.0 claims by webhook_events_due.
export class Migration20261126153000 extends ConcurrentIndex {
  override name = 'Migration20261126153000';

  override index = {
    name: 'webhook_events_due_at',
    on: 'webhook_events (due_at, id) where leased_by is null and due_at is not null',
  };
}

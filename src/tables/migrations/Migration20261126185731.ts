// Drops the indexes by user with which version 0.3.0 claims effects and callbacks.
import { DroppedIndexes } from './bases/dropped-indexes.ts';

export class Migration20261126185731 extends DroppedIndexes {
  override name = 'Migration20261126185731';

  readonly indexes = [
    { name: 'effects_due', on: 'effects (user_id, due_at) where leased_by is null and due_at is not null' },
    {
      name: 'effects_urgent',
      on: `effects (user_id, urgent_until)
        where leased_by is null and status = 'queued' and urgent_until is not null`,
    },
    {
      name: 'webhook_events_due',
      on: `webhook_events (coalesce(user_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'), due_at)
        where leased_by is null and due_at is not null`,
    },
  ];
}

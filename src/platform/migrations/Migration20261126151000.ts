import { ConcurrentIndex } from './bases/concurrent-index.ts';

// Claims read the oldest due effects. Version 0.3.0 claims by effects_due.
export class Migration20261126151000 extends ConcurrentIndex {
  override name = 'Migration20261126151000';

  override index = {
    name: 'effects_due_at',
    on: 'effects (due_at, id) where leased_by is null and due_at is not null',
  };
}

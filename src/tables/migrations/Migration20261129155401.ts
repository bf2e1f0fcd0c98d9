// Finds the completed payments that their user's recipients lack.
import { ConcurrentIndexes } from './bases/concurrent-indexes.ts';

export class Migration20261129155401 extends ConcurrentIndexes {
  override name = 'Migration20261129155401';

  readonly indexes = [
    {
      name: 'pix_payments_without_recipient',
      on: "pix_payments (user_id, state_entered_at, id) where state = 'completed' and recipient_id is null",
    },
  ];
}

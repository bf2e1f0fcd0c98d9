// Finds the completed payments that their user's recipients lack.
import { ConcurrentIndex } from './bases/concurrent-index.ts';

export class Migration20261129155401 extends ConcurrentIndex {
  override name = 'Migration20261129155401';

  readonly index = {
    name: 'pix_payments_without_recipient',
    on: "pix_payments (user_id, state_entered_at, id) where state = 'completed' and recipient_id is null",
  };
}

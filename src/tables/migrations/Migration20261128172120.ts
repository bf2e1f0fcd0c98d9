// One return uses a credit.
import { ConcurrentIndexes } from './bases/concurrent-indexes.ts';

export class Migration20261128172120 extends ConcurrentIndexes {
  override name = 'Migration20261128172120';

  readonly indexes = [
    {
      name: 'pix_payments_return_credit',
      on: 'pix_payments (user_id, return_credit_ref) where return_cap_bps is not null',
      isUnique: true,
    },
  ];
}

// One return uses a credit.
import { ConcurrentIndex } from './bases/concurrent-index.ts';

export class Migration20261128172120 extends ConcurrentIndex {
  override name = 'Migration20261128172120';

  readonly index = {
    name: 'pix_payments_return_credit',
    on: 'pix_payments (user_id, return_credit_ref) where return_cap_bps is not null',
    isUnique: true,
  };
}

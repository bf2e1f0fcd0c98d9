// Finds what operators search for: a hash, or an amount and its day.
import { ConcurrentIndexes } from './bases/concurrent-indexes.ts';

export class Migration20261129220544 extends ConcurrentIndexes {
  override name = 'Migration20261129220544';

  readonly indexes = [
    { name: 'users_email_hash', on: 'users (email_hash) where email_hash is not null' },
    {
      name: 'provider_accounts_deposit_hash',
      on: 'provider_accounts (deposit_hash) where deposit_hash is not null',
    },
    { name: 'pix_payments_pix_key_hash', on: 'pix_payments (pix_key_hash) where pix_key_hash is not null' },
    { name: 'transactions_source_amount', on: 'transactions (source_amount_minor, created_at)' },
    {
      name: 'transactions_dest_amount',
      on: 'transactions (dest_amount_minor, created_at) where dest_amount_minor is not null',
    },
  ];
}

import { ConcurrentIndex } from './bases/concurrent-index.ts';

// Finds the processed callbacks whose payload is still in `webhook_events`. It begins with all of the last 90 days, and shrinks.
export class Migration20261126115500 extends ConcurrentIndex {
  override name = 'Migration20261126115500';

  readonly index = {
    name: 'webhook_events_kept_payloads',
    on: 'webhook_events (processed_at) where processed_at is not null and octet_length(payload_sealed) > 0',
  };
}

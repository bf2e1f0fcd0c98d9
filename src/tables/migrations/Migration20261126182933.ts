// A callback is stored once under its identity.
import { ConcurrentIndex } from './bases/concurrent-index.ts';

export class Migration20261126182933 extends ConcurrentIndex {
  override name = 'Migration20261126182933';

  readonly index = {
    name: 'webhook_events_provider_identity_unique',
    on: 'webhook_events (provider, identity)',
    isUnique: true,
  };
}

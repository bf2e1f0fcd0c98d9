// A callback is stored once under its identity.
import { ConcurrentIndexes } from './bases/concurrent-indexes.ts';

export class Migration20261126182933 extends ConcurrentIndexes {
  override name = 'Migration20261126182933';

  readonly indexes = [
    {
      name: 'webhook_events_provider_identity_unique',
      on: 'webhook_events (provider, identity)',
      isUnique: true,
    },
  ];
}

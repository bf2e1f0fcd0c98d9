import { RebuiltIndexes } from './bases/rebuilt-indexes.ts';

// Recent leases are read without the entries of former ones.
export class Migration20261126154000 extends RebuiltIndexes {
  override name = 'Migration20261126154000';

  override indexes = [
    {
      name: 'effects_leased',
      on: 'effects (leased_by, due_at) where leased_by is not null and due_at is not null',
      formerlyOn: 'effects (leased_by) where leased_by is not null and due_at is not null',
    },
    {
      name: 'webhook_events_leased',
      on: 'webhook_events (leased_by, due_at) where leased_by is not null and due_at is not null',
      formerlyOn: 'webhook_events (leased_by) where leased_by is not null and due_at is not null',
    },
    {
      name: 'provider_resources_leased',
      on: 'provider_resources (leased_by, next_poll_at) where leased_by is not null',
      formerlyOn: 'provider_resources (leased_by) where leased_by is not null',
    },
  ];
}

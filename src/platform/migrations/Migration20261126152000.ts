import { ConcurrentIndex } from './bases/concurrent-index.ts';

// Claims of conversions read the quotes that expire first. Version 0.3.0 claims by effects_urgent.
export class Migration20261126152000 extends ConcurrentIndex {
  override name = 'Migration20261126152000';

  override index = {
    name: 'effects_urgent_until',
    on: "effects (urgent_until, id) where leased_by is null and status = 'queued' and urgent_until is not null",
  };
}

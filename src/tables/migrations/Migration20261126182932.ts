// The identities of the callbacks that are stored already.
import { FilledColumn } from './bases/filled-column.ts';

export class Migration20261126182932 extends FilledColumn {
  override name = 'Migration20261126182932';

  readonly filled = {
    table: 'webhook_events',
    column: 'identity',
    value: "decode(external_id, 'hex')",
  };
}

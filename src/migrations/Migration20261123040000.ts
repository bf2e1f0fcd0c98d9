import { Migration } from '@mikro-orm/migrations';

/** The states of each lifecycle, as they are in this version. */
const lifecycles: [kind: string, states: string][] = [
  ['kyc', `'pending', 'completed', 'failed'`],
  ['provider_account', `'provisioning', 'active'`],
  [
    'pix_payment',
    `'quoted', 'converting.direct', 'converting.leg1', 'converting.leg2', 'paying', 'completed', 'payout_failed', 'refunding', 'refunded', 'manual_review', 'failed', 'conversion_failed'`,
  ],
  ['withdraw', `'settling', 'completed', 'failed'`],
];

// PostgreSQL parses and plans every check of a table anew for each statement that writes to it. What a check says costs less in a
// function, whose plan a connection keeps.
export class Migration20261123040000 extends Migration {
  override name = 'Migration20261123040000';

  override up(): void | Promise<void> {
    this.addSql(`${isStateOf};`);
    this.addSql(
      `alter table transitions drop constraint transitions_states_check,
         add constraint transitions_states_check check (is_state_of(subject_kind, from_state) and is_state_of(subject_kind, to_state));`,
    );
  }

  override down(): void | Promise<void> {
    const steps = lifecycles.map(
      ([kind, states]) =>
        `subject_kind = '${kind}' and to_state in (${states}) and (from_state is null or from_state in (${states}))`,
    );
    this.addSql(
      `alter table transitions drop constraint transitions_states_check,
         add constraint transitions_states_check check (${steps.join(' or ')});`,
    );
    this.addSql(`drop function is_state_of;`);
  }
}

// No state is of no kind: the answer to null is null, which a check lets pass.
const isStateOf = `create function is_state_of(kind text, state text) returns boolean
  immutable strict parallel safe language plpgsql as $$ begin
    return case kind ${lifecycles.map(([kind, states]) => `when '${kind}' then state in (${states})`).join(' ')} else false end;
  end $$`;

import { Migration } from '@mikro-orm/migrations';

// As they are in this version. The entities take theirs from the machines, and the two are compared in a test.
const payment = `'quoted', 'converting.direct', 'converting.leg1', 'converting.leg2', 'paying', 'completed', 'payout_failed', 'refunding', 'refunded', 'manual_review', 'failed', 'conversion_failed'`;
const lifecycles = [
  { kind: 'kyc', table: 'kyc_verifications', states: `'pending', 'completed', 'failed'` },
  { kind: 'provider_account', table: 'provider_accounts', states: `'provisioning', 'active'` },
  { kind: 'pix_payment', table: 'pix_payments', states: payment },
  { kind: 'withdraw', table: 'withdraws', states: `'settling', 'completed', 'failed'` },
];
const unfinished: Record<string, string> = {
  kyc_verifications: `state in ('pending', 'failed')`,
  provider_accounts: `state = 'provisioning'`,
  pix_payments: `state in ('quoted', 'converting.direct', 'converting.leg1', 'converting.leg2', 'paying', 'payout_failed', 'refunding', 'manual_review')`,
  withdraws: `state = 'settling'`,
};
const ages = {
  kyc_verifications: { columns: 'state, state_entered_at', where: unfinished['kyc_verifications'] },
  provider_accounts: { columns: 'state, state_entered_at', where: unfinished['provider_accounts'] },
  pix_payments: {
    columns: 'state, state_entered_at',
    where: `${unfinished['pix_payments']} and acknowledged_seq is distinct from seq`,
  },
  withdraws: { columns: 'state, rail, state_entered_at', where: unfinished['withdraws'] },
};
const formerlyUnfinished: Record<string, string> = {
  kyc_verifications: `state <> 'completed'`,
  provider_accounts: `state <> 'active'`,
  pix_payments: `state not in ('completed', 'failed', 'refunded', 'conversion_failed')`,
  withdraws: `state = 'settling'`,
};
const failures = `'insufficient_funds', 'quote_expired', 'conversion_failed', 'account_not_active', 'amount_mismatch', 'payout_failed', 'payout_returned', 'refunded', 'withdraw_failed', 'withdraw_returned', 'under_review', 'provider_rejected'`;
const withFailure = ['pix_payments', 'withdraws', 'transactions'];

export class Migration20261122136000 extends Migration {
  override name = 'Migration20261122136000';

  override up(): void | Promise<void> {
    for (const { table, states } of lifecycles) {
      this.addSql(`drop index ${table}_unfinished;`);
      this.addSql(`alter table ${table} alter state type text;`);
      this.addSql(`alter table ${table} add constraint ${table}_state_check check (state in (${states}));`);
      this.addSql(`create index ${table}_unfinished on ${table} (id) where ${unfinished[table]};`);
      // Every transition has set `updated_at`, nothing else has, and none has stayed in its state so far.
      this.addSql(`alter table ${table} add state_entered_at timestamptz(3);`);
      this.addSql(`update ${table} set state_entered_at = updated_at;`);
      this.addSql(`alter table ${table} alter state_entered_at set not null;`);
    }
    this.addSql(
      `alter table pix_payments add acknowledged_seq int, add acknowledged_at timestamptz(3), add acknowledgement text;`,
    );
    for (const [table, { columns, where }] of Object.entries(ages))
      this.addSql(`create index ${table}_ages on ${table} (${columns}) where ${where};`);
    for (const table of withFailure)
      this.addSql(
        `alter table ${table} add constraint ${table}_failure_check check (failure in (${failures}));`,
      );
    const steps = lifecycles.map(
      ({ kind, states }) =>
        `subject_kind = '${kind}' and to_state in (${states}) and (from_state is null or from_state in (${states}))`,
    );
    this.addSql(
      `alter table transitions add constraint transitions_states_check check (${steps.join(' or ')});`,
    );
    this.addSql(
      `alter table effects alter type type text, add constraint effects_type_check check (type in ('startConversion', 'startPayout', 'startWithdrawPayout', 'provisionAccounts', 'openAccount', 'validateBankDetails'));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table effects drop constraint effects_type_check, alter type type varchar(40);`);
    this.addSql(`alter table transitions drop constraint transitions_states_check;`);
    for (const table of withFailure)
      this.addSql(`alter table ${table} drop constraint ${table}_failure_check;`);
    for (const table of Object.keys(ages)) this.addSql(`drop index ${table}_ages;`);
    this.addSql(
      `alter table pix_payments drop acknowledged_seq, drop acknowledged_at, drop acknowledgement;`,
    );
    for (const { table } of lifecycles) {
      this.addSql(`drop index ${table}_unfinished;`);
      this.addSql(
        `alter table ${table} drop state_entered_at, drop constraint ${table}_state_check, alter state type varchar(40);`,
      );
      this.addSql(`create index ${table}_unfinished on ${table} (id) where ${formerlyUnfinished[table]};`);
    }
  }
}

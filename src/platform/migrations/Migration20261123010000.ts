import { Migration } from '@mikro-orm/migrations';

/** What a row is found by; the user now follows it in the key. */
const primaryKeys: [table: string, columns: string][] = [
  ['bank_details', 'id'],
  ['conversion_quotes', 'provider_quote_id'],
  ['data_requests', 'id'],
  ['discrepancies', 'id'],
  ['effects', 'id'],
  ['kyc_verifications', 'id'],
  ['pix_payments', 'id'],
  ['pix_quotes', 'id'],
  ['provider_accounts', 'id'],
  ['provider_resources', 'handle'],
  ['transactions', 'id'],
  ['transitions', 'subject_kind, subject_id, seq'],
  ['withdraws', 'id'],
];

/** Without the user, and with it, under names that MikroORM gives, but for one. */
const uniqueKeys: [table: string, columns: string, former: string, present: string][] = [
  ...named('discrepancies', 'handle, kind, fingerprint'),
  ...named('pix_payments', 'quote_id'),
  ...named('pix_payments', 'transaction_id'),
  ...named('provider_accounts', 'provider_account_id'),
  ...named('provider_resources', 'provider_ref'),
  [
    'transactions',
    'provider, provider_ref',
    'transactions_provider_ref_unique',
    'transactions_provider_ref_unique',
  ],
];

const references: [column: string, table: string][] = [
  ['transaction_id', 'transactions'],
  ['quote_id', 'pix_quotes'],
];

// Every key of a user's rows contains the user, so that they can be distributed by it. What has to be unique over all users
// gets a table of its own: subjects of identity providers, and what the provider's ids stand for. `down` fails where two users have rows that the former keys do not allow together.
export class Migration20261123010000 extends Migration {
  override name = 'Migration20261123010000';

  override up(): void | Promise<void> {
    this.addSql(`${dropFormerQueue};`);
    this.addSql(
      `create table provider_object_users (provider_ref uuid not null, kind text check (kind in ('owner', 'account', 'movement')) not null, user_id uuid not null, primary key (provider_ref, kind));`,
    );
    this.addSql(
      `insert into provider_object_users (provider_ref, kind, user_id)
         select provider_ref, kind, user_id from provider_resources where kind in ('owner', 'account') and provider_ref is not null
         union select provider_account_id, 'account', user_id from provider_accounts where provider_account_id is not null
         union select provider_ref, 'movement', user_id from transactions where provider_ref is not null;`,
    );
    this.addSql(`create index provider_object_users_user_id_index on provider_object_users (user_id);`);
    this.addSql(
      `create table identity_users (auth_provider text check (auth_provider in ('identity_provider_a', 'identity_provider_b')) not null, auth_subject text not null, user_id uuid not null, primary key (auth_provider, auth_subject));`,
    );
    this.addSql(
      `insert into identity_users (auth_provider, auth_subject, user_id) select auth_provider, auth_subject, id from users;`,
    );
    this.addSql(`create index identity_users_user_id_index on identity_users (user_id);`);
    this.addSql(`alter table users drop constraint users_auth_provider_auth_subject_unique;`);
    for (const [column] of references)
      this.addSql(`alter table pix_payments drop constraint pix_payments_${column}_foreign;`);
    for (const [table, columns] of primaryKeys) this.addSql(primaryKey(table, `${columns}, user_id`));
    for (const [table, columns, former, present] of uniqueKeys)
      this.addSql(uniqueKey(table, former, present, `${columns}, user_id`));
    for (const [column, table] of references)
      this.addSql(
        `alter table pix_payments add constraint pix_payments_${column}_user_id_foreign foreign key (${column}, user_id) references ${table} (id, user_id) on update no action on delete restrict;`,
      );
  }

  // The former queue's schema is not brought back: the version before this one does not use it.
  override down(): void | Promise<void> {
    for (const [column] of references)
      this.addSql(`alter table pix_payments drop constraint pix_payments_${column}_user_id_foreign;`);
    for (const [table, columns, former, present] of uniqueKeys)
      this.addSql(uniqueKey(table, present, former, columns));
    for (const [table, columns] of primaryKeys) this.addSql(primaryKey(table, columns));
    for (const [column, table] of references)
      this.addSql(
        `alter table pix_payments add constraint pix_payments_${column}_foreign foreign key (${column}) references ${table} (id) on delete restrict;`,
      );
    this.addSql(
      `alter table users add constraint users_auth_provider_auth_subject_unique unique (auth_provider, auth_subject);`,
    );
    this.addSql(`drop table identity_users;`);
    this.addSql(`drop table provider_object_users;`);
  }
}

function named(
  table: string,
  columns: string,
): [table: string, columns: string, former: string, present: string][] {
  const name = `${table}_${columns.replaceAll(', ', '_')}`;
  return [[table, columns, `${name}_unique`, `${name}_user_id_unique`]];
}

const primaryKey = (table: string, columns: string): string =>
  `alter table ${table} drop constraint ${table}_pkey, add constraint ${table}_pkey primary key (${columns});`;

const uniqueKey = (table: string, from: string, to: string, columns: string): string =>
  `alter table ${table} drop constraint ${from}, add constraint ${to} unique (${columns});`;

// The work of the former queue was carried over by Migration20261122220000. A queue that has jobs again is not dropped.
const dropFormerQueue = `do $$ begin
  if to_regclass('graphile_worker._private_jobs') is not null then
    if not exists (select from graphile_worker._private_jobs) then
      drop schema graphile_worker cascade;
    end if;
  end if;
end $$`;

import { Migration } from '@mikro-orm/migrations';

export class Migration20261121082932 extends Migration {
  override name = 'Migration20261121082932';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "audit_events" ("id" uuid not null, "at" timestamptz(3) not null, "action" varchar(60) not null, "user_id" uuid null, "request_id" text null, "details" jsonb not null, primary key ("id"));`,
    );

    this.addSql(
      `create table "conversion_quotes" ("provider_quote_id" uuid not null, "user_id" uuid not null, "payment_id" uuid not null, "leg" text not null, "expires_at" timestamptz(3) not null, "created_at" timestamptz(3) not null, primary key ("provider_quote_id"));`,
    );
    this.addSql(`create index "conversion_quotes_payment" on "conversion_quotes" ("payment_id", "leg");`);

    this.addSql(
      `create table "data_keys" ("scope" varchar(64) not null, "master_key_id" varchar(64) not null, "wrapped_key" bytea not null, "created_at" timestamptz(3) not null, primary key ("scope"));`,
    );

    this.addSql(
      `create table "effects" ("id" uuid not null, "user_id" uuid not null, "subject_kind" text not null, "subject_id" uuid not null, "seq" int not null, "type" varchar(40) not null, "params" jsonb not null, "status" text not null default 'ordered', "attempts" int not null default 0, "last_error" text null, "next_attempt_at" timestamptz(3) null, "unknown_at" timestamptz(3) null, "created_at" timestamptz(3) not null, "finished_at" timestamptz(3) null, primary key ("id"));`,
    );
    this.addSql(`create index "effects_subject" on "effects" ("subject_id", "seq");`);

    this.addSql(
      `create table "idempotency_keys" ("user_id" uuid not null, "operation" varchar(40) not null, "key" varchar(255) not null, "request_hash" bytea not null, "resource_id" uuid not null, "created_at" timestamptz(3) not null, primary key ("user_id", "operation", "key"));`,
    );

    this.addSql(
      `create table "provider_resources" ("handle" uuid not null, "kind" text not null, "user_id" uuid not null, "subject_kind" text not null, "subject_id" uuid not null, "leg" text null, "provider_ref" uuid null, "debited_at_version" int null, "snapshot_at" timestamptz(3) null, "reason_sealed" bytea null, "checks" int not null default 0, "check_at" timestamptz(3) null, "created_at" timestamptz(3) not null, primary key ("handle"));`,
    );
    this.addSql(
      `alter table "provider_resources" add constraint "provider_resources_provider_ref_unique" unique ("provider_ref");`,
    );
    this.addSql(`create index "provider_resources_subject" on "provider_resources" ("subject_id");`);
    this.addSql(
      `create index provider_resources_unplaced on provider_resources (user_id) where provider_ref is null;`,
    );
    this.addSql(
      `create index provider_resources_debited on provider_resources (user_id, debited_at_version) where debited_at_version is not null;`,
    );
    this.addSql(
      `create index provider_resources_due on provider_resources (check_at) where check_at is not null;`,
    );

    this.addSql(
      `create table "transitions" ("subject_kind" text not null, "subject_id" uuid not null, "seq" int not null, "user_id" uuid not null, "from_state" varchar(40) null, "to_state" varchar(40) not null, "event" varchar(60) not null, "event_data" jsonb not null, "cause_kind" text not null, "cause_id" text not null, "at" timestamptz(3) not null, primary key ("subject_kind", "subject_id", "seq"));`,
    );

    this.addSql(
      `create table "users" ("id" uuid not null, "auth_provider" text not null, "auth_subject" text not null, "email_sealed" bytea null, "display_name" text not null, "home_currency" text null, "balance_minor" bigint null, "balance_read_at" timestamptz(3) null, "balance_version" int not null default 0, "closed_at" timestamptz(3) null, "hard_deletion_due_at" timestamptz(3) null, "created_at" timestamptz(3) not null, primary key ("id"));`,
    );
    this.addSql(
      `alter table "users" add constraint "users_auth_provider_auth_subject_unique" unique ("auth_provider", "auth_subject");`,
    );

    this.addSql(
      `create table "transactions" ("id" uuid not null, "user_id" uuid not null, "type" text not null, "status" text not null, "source_currency" varchar(4) not null, "source_amount_minor" bigint not null, "dest_currency" varchar(4) null, "dest_amount_minor" bigint null, "fx_rate" numeric(20,8) null, "provider" text not null, "provider_ref" uuid null, "failure" text null, "created_at" timestamptz(3) not null, "completed_at" timestamptz(3) null, primary key ("id"));`,
    );
    this.addSql(`create index "transactions_user_page" on "transactions" ("user_id", "created_at", "id");`);
    this.addSql(
      `alter table "transactions" add constraint "transactions_provider_ref_unique" unique ("provider", "provider_ref");`,
    );

    this.addSql(
      `create table "provider_accounts" ("id" uuid not null, "user_id" uuid not null, "currency" text not null, "state" varchar(40) not null, "seq" int not null, "provider_account_id" uuid null, "deposit_instructions_sealed" bytea null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"));`,
    );
    this.addSql(
      `alter table "provider_accounts" add constraint "provider_accounts_provider_account_id_unique" unique ("provider_account_id");`,
    );
    this.addSql(
      `alter table "provider_accounts" add constraint "provider_accounts_user_id_currency_unique" unique ("user_id", "currency");`,
    );

    this.addSql(
      `create table "pix_quotes" ("id" uuid not null, "user_id" uuid not null, "flow" text not null, "amount_brl_minor" bigint not null, "source_currency" text not null, "source_amount_minor" bigint not null, "rate" numeric(20,8) not null, "service_spread_bps" int not null, "provider_quote_id" uuid not null, "expires_at" timestamptz(3) not null, "created_at" timestamptz(3) not null, primary key ("id"));`,
    );
    this.addSql(`create index "pix_quotes_user_id_index" on "pix_quotes" ("user_id");`);

    this.addSql(
      `create table "pix_payments" ("id" uuid not null, "user_id" uuid not null, "transaction_id" uuid not null, "quote_id" uuid not null, "state" varchar(40) not null, "seq" int not null, "flow" text not null, "amount_brl_minor" bigint not null, "source_currency" text not null, "source_amount_minor" bigint not null, "exchange_rate" numeric(20,8) not null, "pix_key_type" text not null, "pix_key_sealed" bytea not null, "recipient_name_sealed" bytea null, "home_debit_minor" bigint null, "usdc_delivered_minor" bigint null, "usdc_residual_minor" bigint null, "payout_attempt" int not null default 0, "end_to_end_id" text null, "voucher_id" text null, "failure" text null, "expires_at" timestamptz(3) not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"));`,
    );
    this.addSql(
      `alter table "pix_payments" add constraint "pix_payments_transaction_id_unique" unique ("transaction_id");`,
    );
    this.addSql(
      `alter table "pix_payments" add constraint "pix_payments_quote_id_unique" unique ("quote_id");`,
    );
    this.addSql(`create index "pix_payments_user_page" on "pix_payments" ("user_id", "created_at", "id");`);

    this.addSql(
      `create table "kyc_verifications" ("id" uuid not null, "user_id" uuid not null, "state" varchar(40) not null, "seq" int not null, "level" text null, "identity_sealed" bytea null, "completed_at" timestamptz(3) null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"));`,
    );

    this.addSql(
      `create table "data_requests" ("id" uuid not null, "user_id" uuid not null, "type" text not null, "status" text not null default 'open', "notes_sealed" bytea null, "received_at" timestamptz(3) not null, "due_at" timestamptz(3) not null, "closed_at" timestamptz(3) null, primary key ("id"));`,
    );
    this.addSql(`create index "data_requests_user_id_index" on "data_requests" ("user_id");`);

    this.addSql(
      `create table "bank_details" ("id" uuid not null, "user_id" uuid not null, "currency" text not null, "details_sealed" bytea not null, "version" int not null, "validation_status" text null, "validated_at" timestamptz(3) null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"));`,
    );
    this.addSql(
      `alter table "bank_details" add constraint "bank_details_user_id_currency_unique" unique ("user_id", "currency");`,
    );

    this.addSql(
      `create table "webhook_events" ("id" uuid not null, "provider" text not null, "external_id" varchar(64) not null, "event_type" text not null, "payload_sealed" bytea not null, "status" text not null default 'received', "outcome" text null, "attempts" int not null default 0, "transaction_id" uuid null, "received_at" timestamptz(3) not null, "processed_at" timestamptz(3) null, primary key ("id"));`,
    );
    this.addSql(
      `alter table "webhook_events" add constraint "webhook_events_provider_external_id_unique" unique ("provider", "external_id");`,
    );

    this.addSql(
      `create table "withdraws" ("id" uuid not null, "user_id" uuid not null, "state" varchar(40) not null, "seq" int not null, "currency" text not null, "amount_minor" bigint not null, "rail" text not null, "bank_details_id" uuid not null, "bank_details_version" int not null, "destination_sealed" bytea not null, "expected_settlement_seconds" int not null, "failure" text null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"));`,
    );
    this.addSql(`create index "withdraws_user_page" on "withdraws" ("user_id", "created_at", "id");`);

    this.addSql(
      `alter table "conversion_quotes" add constraint "conversion_quotes_leg_check" check ("leg" in ('leg2', 'reverse'));`,
    );

    this.addSql(
      `alter table "effects" add constraint "effects_subject_kind_check" check ("subject_kind" in ('kyc', 'provider_account', 'pix_payment', 'withdraw', 'bank_details'));`,
    );
    this.addSql(
      `alter table "effects" add constraint "effects_status_check" check ("status" in ('ordered', 'done', 'failed', 'superseded', 'exhausted'));`,
    );

    this.addSql(
      `alter table "provider_resources" add constraint "provider_resources_kind_check" check ("kind" in ('owner', 'account', 'transfer', 'payout'));`,
    );
    this.addSql(
      `alter table "provider_resources" add constraint "provider_resources_subject_kind_check" check ("subject_kind" in ('kyc', 'provider_account', 'pix_payment', 'withdraw'));`,
    );
    this.addSql(
      `alter table "provider_resources" add constraint "provider_resources_leg_check" check ("leg" in ('direct', 'leg1', 'leg2', 'reverse'));`,
    );

    this.addSql(
      `alter table "transitions" add constraint "transitions_subject_kind_check" check ("subject_kind" in ('kyc', 'provider_account', 'pix_payment', 'withdraw'));`,
    );
    this.addSql(
      `alter table "transitions" add constraint "transitions_cause_kind_check" check ("cause_kind" in ('request', 'webhook', 'job', 'operator'));`,
    );

    this.addSql(
      `alter table "users" add constraint "users_auth_provider_check" check ("auth_provider" in ('identity_provider_a', 'identity_provider_b'));`,
    );
    this.addSql(
      `alter table "users" add constraint "users_home_currency_check" check ("home_currency" in ('GBP', 'EUR'));`,
    );

    this.addSql(
      `alter table "transactions" add constraint "transactions_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete restrict;`,
    );
    this.addSql(
      `alter table "transactions" add constraint "transactions_source_amount_minor_check" check (source_amount_minor > 0);`,
    );
    this.addSql(
      `alter table "transactions" add constraint "transactions_type_check" check ("type" in ('deposit', 'payment', 'withdraw'));`,
    );
    this.addSql(
      `alter table "transactions" add constraint "transactions_status_check" check ("status" in ('pending', 'settling', 'completed', 'failed'));`,
    );

    this.addSql(
      `alter table "provider_accounts" add constraint "provider_accounts_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete restrict;`,
    );
    this.addSql(
      `alter table "provider_accounts" add constraint "provider_accounts_currency_check" check ("currency" in ('GBP', 'EUR', 'BRL', 'USDC'));`,
    );

    this.addSql(
      `alter table "pix_quotes" add constraint "pix_quotes_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete restrict;`,
    );
    this.addSql(
      `alter table "pix_quotes" add constraint "pix_quotes_amount_brl_minor_check" check (amount_brl_minor > 0);`,
    );
    this.addSql(
      `alter table "pix_quotes" add constraint "pix_quotes_source_amount_minor_check" check (source_amount_minor > 0);`,
    );
    this.addSql(
      `alter table "pix_quotes" add constraint "pix_quotes_flow_check" check ("flow" in ('direct', 'two_hop'));`,
    );
    this.addSql(
      `alter table "pix_quotes" add constraint "pix_quotes_source_currency_check" check ("source_currency" in ('GBP', 'EUR'));`,
    );

    this.addSql(
      `alter table "pix_payments" add constraint "pix_payments_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete restrict;`,
    );
    this.addSql(
      `alter table "pix_payments" add constraint "pix_payments_transaction_id_foreign" foreign key ("transaction_id") references "transactions" ("id") on delete restrict;`,
    );
    this.addSql(
      `alter table "pix_payments" add constraint "pix_payments_quote_id_foreign" foreign key ("quote_id") references "pix_quotes" ("id") on delete restrict;`,
    );
    this.addSql(
      `alter table "pix_payments" add constraint "pix_payments_amount_brl_minor_check" check (amount_brl_minor > 0);`,
    );
    this.addSql(
      `alter table "pix_payments" add constraint "pix_payments_source_amount_minor_check" check (source_amount_minor > 0);`,
    );
    this.addSql(
      `alter table "pix_payments" add constraint "pix_payments_flow_check" check ("flow" in ('direct', 'two_hop'));`,
    );
    this.addSql(
      `alter table "pix_payments" add constraint "pix_payments_source_currency_check" check ("source_currency" in ('GBP', 'EUR'));`,
    );
    this.addSql(
      `alter table "pix_payments" add constraint "pix_payments_pix_key_type_check" check ("pix_key_type" in ('cpf', 'cnpj', 'phone', 'email', 'evp'));`,
    );

    this.addSql(
      `alter table "kyc_verifications" add constraint "kyc_verifications_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete restrict;`,
    );
    this.addSql(
      `alter table "kyc_verifications" add constraint "kyc_verifications_level_check" check ("level" in ('basic', 'standard', 'enhanced'));`,
    );

    this.addSql(
      `alter table "data_requests" add constraint "data_requests_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete restrict;`,
    );
    this.addSql(
      `alter table "data_requests" add constraint "data_requests_type_check" check ("type" in ('access', 'rectification', 'portability', 'restriction', 'objection', 'erasure'));`,
    );
    this.addSql(
      `alter table "data_requests" add constraint "data_requests_status_check" check ("status" in ('open', 'closed'));`,
    );

    this.addSql(
      `alter table "bank_details" add constraint "bank_details_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete restrict;`,
    );
    this.addSql(
      `alter table "bank_details" add constraint "bank_details_currency_check" check ("currency" in ('GBP', 'EUR'));`,
    );
    this.addSql(
      `alter table "bank_details" add constraint "bank_details_validation_status_check" check ("validation_status" in ('match', 'close_match', 'no_match', 'unavailable'));`,
    );

    this.addSql(
      `alter table "webhook_events" add constraint "webhook_events_status_check" check ("status" in ('received', 'applied', 'ignored', 'unmatched'));`,
    );

    this.addSql(
      `alter table "withdraws" add constraint "withdraws_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete restrict;`,
    );
    this.addSql(
      `alter table "withdraws" add constraint "withdraws_amount_minor_check" check (amount_minor > 0);`,
    );
    this.addSql(
      `alter table "withdraws" add constraint "withdraws_currency_check" check ("currency" in ('GBP', 'EUR'));`,
    );
    this.addSql(
      `alter table "withdraws" add constraint "withdraws_rail_check" check ("rail" in ('FPS', 'SEPA'));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "transactions" drop constraint "transactions_user_id_foreign";`);
    this.addSql(`alter table "provider_accounts" drop constraint "provider_accounts_user_id_foreign";`);
    this.addSql(`alter table "pix_quotes" drop constraint "pix_quotes_user_id_foreign";`);
    this.addSql(`alter table "pix_payments" drop constraint "pix_payments_user_id_foreign";`);
    this.addSql(`alter table "kyc_verifications" drop constraint "kyc_verifications_user_id_foreign";`);
    this.addSql(`alter table "data_requests" drop constraint "data_requests_user_id_foreign";`);
    this.addSql(`alter table "bank_details" drop constraint "bank_details_user_id_foreign";`);
    this.addSql(`alter table "withdraws" drop constraint "withdraws_user_id_foreign";`);
    this.addSql(`alter table "pix_payments" drop constraint "pix_payments_transaction_id_foreign";`);
    this.addSql(`alter table "pix_payments" drop constraint "pix_payments_quote_id_foreign";`);

    this.addSql(`drop table if exists "audit_events" cascade;`);
    this.addSql(`drop table if exists "conversion_quotes" cascade;`);
    this.addSql(`drop table if exists "data_keys" cascade;`);
    this.addSql(`drop table if exists "effects" cascade;`);
    this.addSql(`drop table if exists "idempotency_keys" cascade;`);
    this.addSql(`drop table if exists "provider_resources" cascade;`);
    this.addSql(`drop table if exists "transitions" cascade;`);
    this.addSql(`drop table if exists "users" cascade;`);
    this.addSql(`drop table if exists "transactions" cascade;`);
    this.addSql(`drop table if exists "provider_accounts" cascade;`);
    this.addSql(`drop table if exists "pix_quotes" cascade;`);
    this.addSql(`drop table if exists "pix_payments" cascade;`);
    this.addSql(`drop table if exists "kyc_verifications" cascade;`);
    this.addSql(`drop table if exists "data_requests" cascade;`);
    this.addSql(`drop table if exists "bank_details" cascade;`);
    this.addSql(`drop table if exists "webhook_events" cascade;`);
    this.addSql(`drop table if exists "withdraws" cascade;`);
  }
}

// Contestations of payments, and the parts of completed payments that came back.
import { Migration } from '@mikro-orm/migrations';

export class Migration20261129223026 extends Migration {
  override name = 'Migration20261129223026';

  override up(): void | Promise<void> {
    this.addSql(`create type "contestation_status" as enum ('open', 'accepted', 'rejected');`);
    this.addSql(
      `create type "payout_refund_state" as enum ('waiting', 'converting', 'converted', 'returned_whole');`,
    );
    this.addSql(
      `create type "contestation_state" as enum ('requested', 'open', 'accepted', 'rejected', 'refused');`,
    );
    this.addSql(`create type "contestation_reason" as enum ('scam', 'unauthorised', 'coercion');`);
    this.addSql(
      `create table "payout_refunds" ("id" uuid not null, "user_id" uuid not null, "state" "payout_refund_state" not null, "seq" int not null, "state_entered_at" timestamptz(3) not null, "payment_id" uuid not null, "movement_ref" uuid not null, "amount_brl_minor" bigint not null, "home_currency" "home_currency" not null, "attempt" int not null default 0, "home_credit_minor" bigint null, "provider_quote_id" uuid null, "quote_life_ms" bigint null, "quoted_at" timestamptz(3) null, "credited_at" timestamptz(3) not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id", "user_id"));`,
    );
    this.addSql(`create index "payout_refunds_payment" on "payout_refunds" ("payment_id", "user_id");`);
    this.addSql(
      `create index "payout_refunds_unfinished" on "payout_refunds" ("id") where state in ('waiting', 'converting');`,
    );
    this.addSql(
      `create index "payout_refunds_ages" on "payout_refunds" ("state", "state_entered_at") where state in ('waiting', 'converting');`,
    );
    this.addSql(
      `alter table "payout_refunds" add constraint "payout_refunds_movement_ref_user_id_unique" unique ("movement_ref", "user_id");`,
    );

    this.addSql(
      `create table "contestations" ("id" uuid not null, "user_id" uuid not null, "state" "contestation_state" not null, "seq" int not null, "state_entered_at" timestamptz(3) not null, "payment_id" uuid not null, "reason" "contestation_reason" not null, "description_sealed" bytea not null, "resolved_at" timestamptz(3) null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id", "user_id"));`,
    );
    this.addSql(
      `create index "contestations_unfinished" on "contestations" ("id") where state in ('requested', 'open');`,
    );
    this.addSql(
      `create index "contestations_ages" on "contestations" ("state", "state_entered_at") where state in ('requested', 'open');`,
    );
    this.addSql(
      `alter table "contestations" add constraint "contestations_payment_id_user_id_unique" unique ("payment_id", "user_id");`,
    );

    this.addSql(`alter type "subject_kind" add value if not exists 'contestation' after 'withdraw';`);
    this.addSql(`alter type "subject_kind" add value if not exists 'payout_refund' after 'contestation';`);

    this.addSql(
      `alter type "effect_subject_kind" add value if not exists 'contestation' after 'bank_details';`,
    );
    this.addSql(
      `alter type "effect_subject_kind" add value if not exists 'payout_refund' after 'contestation';`,
    );

    this.addSql(`alter type "resource_kind" add value if not exists 'contestation' after 'payout';`);
    this.addSql(`alter type "conversion_leg" add value if not exists 'partial' after 'return';`);
    this.addSql(`alter type "snapshot_status" add value if not exists 'open' after 'refunded';`);
    this.addSql(`alter type "snapshot_status" add value if not exists 'accepted' after 'open';`);
    this.addSql(`alter type "snapshot_status" add value if not exists 'rejected' after 'accepted';`);
    this.addSql(`create or replace function is_state_of(kind subject_kind, state text) returns boolean
      immutable strict parallel safe language plpgsql as $$ begin
        return case kind when 'kyc' then state in ('pending', 'completed', 'failed')
          when 'provider_account' then state in ('provisioning', 'active')
          when 'pix_payment' then state in ('quoted', 'converting.direct', 'converting.leg1', 'converting.leg2', 'paying', 'completed', 'payout_failed', 'refunding', 'refunded', 'manual_review', 'failed', 'conversion_failed')
          when 'withdraw' then state in ('settling', 'completed', 'failed')
          when 'contestation' then state in ('requested', 'open', 'accepted', 'rejected', 'refused')
          when 'payout_refund' then state in ('waiting', 'converting', 'converted', 'returned_whole')
          else false end;
      end $$;`);

    this.addSql(
      `alter table "pix_payments" add "returned_brl_minor" bigint null, add "contestation_status" "contestation_status" null;`,
    );

    this.addSql(
      `alter table "payout_refunds" add constraint "payout_refunds_amount_brl_minor_check" check (amount_brl_minor > 0);`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "payout_refunds" cascade;`);
    this.addSql(`drop table if exists "contestations" cascade;`);

    this.addSql(
      `alter table "pix_payments" drop column "returned_brl_minor", drop column "contestation_status";`,
    );

    this.addSql(`drop type "contestation_status";`);
    this.addSql(`drop type "payout_refund_state";`);
    this.addSql(`drop type "contestation_state";`);
    this.addSql(`drop type "contestation_reason";`);
  }
}

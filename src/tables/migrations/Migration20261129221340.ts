import { Migration } from '@mikro-orm/migrations';

export class Migration20261129221340 extends Migration {
  override name = 'Migration20261129221340';

  override up(): void | Promise<void> {
    this.addSql(`create type "pix_code_kind" as enum ('static', 'dynamic');`);
    this.addSql(
      `create table "pix_codes" ("id" uuid not null, "user_id" uuid not null, "provider_code_id" uuid not null, "kind" "pix_code_kind" not null, "charge_id" uuid null, "pix_key_type" "pix_key_type" not null, "pix_key_sealed" bytea not null, "recipient_name_sealed" bytea not null, "institution" text not null, "amount_brl_minor" bigint null, "is_amount_fixed" boolean not null, "charge_expires_at" timestamptz(3) null, "used_at" timestamptz(3) null, "token_returned_at" timestamptz(3) null, "expires_at" timestamptz(3) not null, "created_at" timestamptz(3) not null, primary key ("id", "user_id"));`,
    );
    this.addSql(`create index "pix_codes_user_id_index" on "pix_codes" ("user_id");`);
    this.addSql(`create index "pix_codes_unused" on "pix_codes" ("created_at") where used_at is null;`);

    this.addSql(`alter type "provider_object_kind" add value if not exists 'charge' after 'movement';`);
    this.addSql(`alter table "provider_object_users" add "payment_id" uuid null;`);

    this.addSql(`alter table "pix_payments" add "code_id" uuid null;`);

    this.addSql(
      `alter table "pix_codes" add constraint "pix_codes_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete restrict;`,
    );
    this.addSql(
      `alter table "pix_codes" add constraint "pix_codes_amount_brl_minor_check" check (amount_brl_minor > 0);`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "pix_codes" cascade;`);

    this.addSql(`alter table "pix_payments" drop column "code_id";`);

    this.addSql(`alter table "provider_object_users" drop column "payment_id";`);

    this.addSql(`drop type "pix_code_kind";`);
  }
}

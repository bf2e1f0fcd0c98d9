// Operators have logins of their own. While a row names their role, a trigger writes the login into an operator's audit row, whatever the
// writer sends, and refuses the row of anyone else.
import { Migration } from '@mikro-orm/migrations';

export class Migration20261129193553 extends Migration {
  override name = 'Migration20261129193553';

  override up(): void | Promise<void> {
    this.addSql(`create table "operator_roles" ("name" text not null, primary key ("name"));`);
    this.addSql(`create function audit_events_attribute() returns trigger language plpgsql
      set search_path = public, pg_temp as $$ begin
        new.details := new.details || jsonb_build_object('databaseUser', session_user);
        if exists (select from operator_roles) then
          -- Citus lets nobody join its tables with pg_roles.
          if current_setting('is_superuser') = 'on' or not exists (
            select from operator_roles where pg_has_role(session_user, to_regrole(quote_ident(name))::oid, 'member')
          ) then
            raise exception '% is no login of an operator', session_user using errcode = 'insufficient_privilege';
          end if;
          new.details := new.details || jsonb_build_object('operator', session_user);
        end if;
        return new;
      end $$;`);
    // Triggers run in the order of their names: this one before audit_events_chain, which hashes the row.
    this.addSql(`create trigger audit_events_attribute before insert on audit_events
      for each row when (new.action like 'operator.%') execute function audit_events_attribute();`);
  }

  override down(): void | Promise<void> {
    this.addSql('drop trigger audit_events_attribute on audit_events;');
    this.addSql('drop function audit_events_attribute();');
    this.addSql(`drop table "operator_roles";`);
  }
}

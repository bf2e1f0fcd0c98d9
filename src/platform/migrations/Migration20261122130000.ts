import { Migration } from '@mikro-orm/migrations';

export class Migration20261122130000 extends Migration {
  override name = 'Migration20261122130000';

  override up(): void | Promise<void> {
    this.addSql(`alter table contradictions rename to discrepancies;`);
    this.addSql(`alter index contradictions_pkey rename to discrepancies_pkey;`);
    this.addSql(`alter index contradictions_subject_id_index rename to discrepancies_subject_id_index;`);
    this.addSql(`alter index contradictions_open rename to discrepancies_open;`);
    this.addSql(
      `alter table discrepancies add kind text not null default 'contradicted_state', add fingerprint text, add provider_ref uuid null;`,
    );
    this.addSql(
      `update discrepancies set fingerprint =
         to_char(snapshot_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || ' ' || event;`,
    );
    this.addSql(
      `alter table discrepancies alter kind drop default, alter fingerprint set not null,
         drop constraint contradictions_handle_snapshot_at_unique,
         add constraint discrepancies_handle_kind_fingerprint_unique unique (handle, kind, fingerprint),
         add constraint discrepancies_kind_check check (kind in ('contradicted_state', 'not_as_ordered', 'debit_differs', 'twin', 'vanished', 'clock_stepped_back', 'quote_lifetime'));`,
    );
    for (const column of ['subject_kind', 'cause_kind'])
      this.addSql(
        `alter table discrepancies rename constraint contradictions_${column}_check to discrepancies_${column}_check;`,
      );
  }

  override down(): void | Promise<void> {
    this.addSql(
      `alter table discrepancies drop constraint discrepancies_handle_kind_fingerprint_unique,
         drop kind, drop fingerprint, drop provider_ref;`,
    );
    for (const column of ['subject_kind', 'cause_kind'])
      this.addSql(
        `alter table discrepancies rename constraint discrepancies_${column}_check to contradictions_${column}_check;`,
      );
    this.addSql(`alter table discrepancies rename to contradictions;`);
    this.addSql(`alter index discrepancies_pkey rename to contradictions_pkey;`);
    this.addSql(`alter index discrepancies_subject_id_index rename to contradictions_subject_id_index;`);
    this.addSql(`alter index discrepancies_open rename to contradictions_open;`);
    this.addSql(
      `alter table contradictions add constraint contradictions_handle_snapshot_at_unique unique (handle, snapshot_at);`,
    );
  }
}

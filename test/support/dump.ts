// Reads the whole database as one text: every column of every table, and the plain text of every sealed value.
import { sql } from 'kysely';
import { byProperty } from '../../src/platform/database/prepared.ts';
import { sections } from '../../src/privacy/export-sections.ts';
import type { ExportedRow } from '../../src/privacy/export-values.ts';
import type { Sealer } from '../../src/security/sealer.ts';
import type { Db } from '../../src/tables/orm.ts';

export async function everythingIn(
  db: Db,
  sealer: Sealer,
  { except = [] }: { except?: string[] } = {},
): Promise<string> {
  const { rows: tables } = await sql<{ schema: string; name: string }>`
    select table_schema as schema, table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'
  `.execute(db);
  const texts: string[] = [];
  for (const { schema, name } of tables) {
    if (except.includes(name)) continue;
    const { rows } = await sql<{ text: string }>`
      select row::text as text from ${sql.table(`${schema}.${name}`)} as row
    `.execute(db);
    texts.push(name, ...rows.map(({ text }) => text), ...(await openedIn(db, sealer, name)));
  }
  return texts.join('\n');
}

/** Opens every sealed value of a table. All of them must open, because an unreadable value would be useless. */
async function openedIn(db: Db, sealer: Sealer, table: string): Promise<string[]> {
  const columns = Object.entries(table in sections ? sections[table as 'users'].columns : {});
  const sealed = columns.flatMap(([property, how]) =>
    typeof how === 'object' && 'sealedAt' in how ? [{ property, placeOf: how.sealedAt }] : [],
  );
  if (sealed.length === 0) return [];
  const { rows } = await sql<ExportedRow>`select * from ${sql.table(table)}`.execute(db);
  const opened: string[] = [];
  for (const row of rows.map(byProperty))
    for (const { property, placeOf } of sealed) {
      const value = row[property];
      if (value instanceof Uint8Array && value.length > 0)
        opened.push(await sealer.open(placeOf(row), value));
    }
  return opened;
}

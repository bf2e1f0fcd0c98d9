// Seals replaceable values as version 0.2.0 did: without binding them to the version of their row.
import { sql } from 'kysely';
import { byProperty } from '../../src/platform/database/prepared.ts';
import { sections } from '../../src/privacy/export-sections.ts';
import type { Exported, ExportedRow } from '../../src/privacy/export-values.ts';
import type { MasterKey } from '../../src/security/data-keys.ts';
import { createDataKeys } from '../../src/security/data-keys.ts';
import type { ReplacedColumn } from '../../src/security/encryption-contexts.ts';
import { type EncryptionContext, openWith, sealWith } from '../../src/security/envelope.ts';
import type { Db } from '../../src/tables/orm.ts';

export type SealedValue = { name: ReplacedColumn; context: EncryptionContext; value: Buffer };

export const replacedColumns: ReplacedColumn[] = [
  'bank_details.details_sealed',
  'kyc_verifications.identity_sealed',
  'provider_accounts.deposit_instructions_sealed',
  'provider_resources.reason_sealed',
];

export async function sealedValues(db: Db): Promise<SealedValue[]> {
  const found: SealedValue[] = [];
  for (const name of replacedColumns) {
    const [table = '', column = ''] = name.split('.');
    const columns: Record<string, Exported> = sections[table as keyof typeof sections].columns;
    const how = columns[camel(column)];
    if (how === undefined || typeof how === 'string' || !('sealedAt' in how))
      throw new Error(`${name} is not sealed`);
    const { rows } = await sql<ExportedRow>`select * from ${sql.table(table)}`.execute(db);
    for (const row of rows)
      if (row[column] !== null)
        found.push({ name, context: how.sealedAt(byProperty(row)), value: row[column] as Buffer });
  }
  return found;
}

const camel = (column: string): string =>
  column.replaceAll(/_(?<letter>[a-z])/g, (_, letter: string) => letter.toUpperCase());

/**
 * Seals all replaceable values again as they were sealed before rows had versions.
 * @returns the number of values.
 */
export async function unbindAll(db: Db, masterKeys: MasterKey[]): Promise<number> {
  const { keyOf } = createDataKeys(db, masterKeys);
  const values = await sealedValues(db);
  for (const { name, context, value } of values) {
    const [table = '', column = ''] = name.split('.');
    const key = await keyOf(context.scope);
    const former = sealWith(key, { ...context, version: null }, openWith(key, context, value));
    const withoutTime = table === 'bank_details' ? sql`` : sql`, ${sql.ref(`${column}_at`)} = null`;
    await sql`
      update ${sql.table(table)} set ${sql.ref(column)} = ${former} ${withoutTime}
      where ${sql.ref(column)} = ${value}`.execute(db);
  }
  return values.length;
}

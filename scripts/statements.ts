// Lists every prepared statement of src/tables/ under the name of its export. A record of statements has one entry for each of its
// keys.
import { globSync } from 'node:fs';
import path from 'node:path';
import { createPool } from '../src/platform/database/pool.ts';
import { createOrm, type Db, dbOf } from '../src/tables/orm.ts';

export type NamedStatement = { name: string; file: string; text: string };

const root = path.join(import.meta.dirname, '..');

export async function statementsIn(): Promise<NamedStatement[]> {
  // The pool connects when the first statement is sent. No statement is sent here.
  const db = dbOf(await createOrm(createPool('postgresql://localhost/ponte', 1)));
  const files = globSync('src/tables/**/*.ts', {
    cwd: root,
    exclude: ['src/tables/{migrations,schema}/**'],
  }).toSorted();
  const each = await Promise.all(
    files.map(async (file) => {
      const exported = (await import(path.join(root, file))) as Record<string, unknown>;
      return Object.entries(exported).flatMap(([name, value]) =>
        statementsOf(db, name, value).map((one) => ({ ...one, file })),
      );
    }),
  );
  return each.flat();
}

function statementsOf(db: Db, name: string, value: unknown): { name: string; text: string }[] {
  if (isPrepared(value)) return [{ name, text: value.text(db) }];
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return [];
  return Object.entries(value).flatMap(([key, one]) => statementsOf(db, `${name}.${key}`, one));
}

const isPrepared = (value: unknown): value is { text: (db: Db) => string } =>
  typeof value === 'function' && 'text' in value && typeof value.text === 'function';

// `node scripts/baseline/main.ts` replaces the migrations by one baseline. It migrates an empty database with them, writes its schema to
// src/platform/migrations/baseline/, and removes them. The snapshot next to them stays: the entities have not changed.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { migrationsFolder } from '../../src/platform/database/applied-migrations.ts';
import { noDeadlines } from '../../src/platform/database/deadlines.ts';
import { createOrm, type Orm } from '../../src/platform/database/orm.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { migrate } from '../../src/platform/database/schema.ts';
import { startEmbeddedDatabase } from '../embedded-database.ts';
import { schemaFiles } from './schema-files.ts';

/** Later than the migrations that it replaces is not required: a database has either them or it. Every later migration follows it. */
const BASELINE = 'Migration20261126120000';
const entitiesFolder = path.join(migrationsFolder, '../database/entities');
const namesFile = path.join(migrationsFolder, '../../../test/upgrade/fixtures/names.json');

const temporary = mkdtempSync(path.join(tmpdir(), 'ponte-baseline-'));
const database = await startEmbeddedDatabase({ folder: path.join(temporary, 'database'), keep: false });
const pool = createPool(database.url, 2, noDeadlines);
const orm = await createOrm(pool);
const former = await migrate(orm);
const files = await schemaFiles(pool, headersOf(orm));
await orm.close(true);
await database.stop();
rmSync(temporary, { recursive: true, force: true });

const folder = path.join(migrationsFolder, 'baseline');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
for (const { name, sql } of files) writeFileSync(path.join(folder, `${name}.sql`), sql);
for (const name of former) rmSync(path.join(migrationsFolder, `${name}.ts`));
writeFileSync(path.join(migrationsFolder, `${BASELINE}.ts`), migrationOf(files.map(({ name }) => name)));
const names = JSON.parse(readFileSync(namesFile, 'utf8')) as { migrations: string[] };
writeFileSync(namesFile, `${JSON.stringify({ ...names, migrations: [BASELINE] }, null, 2)}\n`);
execFileSync('npx', ['biome', 'check', '--write', migrationsFolder, namesFile], { stdio: 'ignore' });
console.log(
  `wrote ${BASELINE} instead of ${former.length} migrations, of which the last is ${former.at(-1)}`,
);

/** The header of each table's entity says what the table is for. */
function headersOf(from: Orm): Map<string, string> {
  const tables = [...from.getMetadata().getAll().values()].filter(({ tableName }) => tableName);
  return new Map([
    [
      'schema_floor',
      'The oldest version that may serve on this schema. Migrations add rows, and the highest version counts.',
    ],
    ...tables.map(({ tableName, className }) => {
      const file = className.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
      const code = readFileSync(path.join(entitiesFolder, `${file}.ts`), 'utf8');
      const lines = /^(?:\/\/ .*\n)+/.exec(code)?.[0].trimEnd().split('\n') ?? [];
      return [tableName, lines.map((line) => line.slice('// '.length)).join('\n')] as const;
    }),
  ]);
}

function migrationOf(fileNames: string[]): string {
  return `// The baseline: creates the schema with which version 1.0.0 begins, in an empty database. Each file of \`baseline/\` has a table with its
// types, functions, indexes and triggers. A constraint \`not null\` has a name if PostgreSQL named it before its column or table was renamed.
// Every later migration follows this one. It cannot be reverted.
import { readFileSync } from 'node:fs';
import { Migration } from '@mikro-orm/migrations';

/** The files, each after those that it needs. */
const FILES = [
${fileNames.map((name) => `  '${name}',`).join('\n')}
];

export class ${BASELINE} extends Migration {
  override name = '${BASELINE}';

  override up(): void {
    for (const file of FILES)
      this.addSql(readFileSync(new URL(\`baseline/\${file}.sql\`, import.meta.url), 'utf8'));
  }
}
`;
}

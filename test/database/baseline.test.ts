// `node scripts/baseline/main.ts` writes the schema that the migrations make as SQL that creates it in an empty database.
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { schemaFiles } from '../../scripts/baseline/schema-files.ts';
import { migrationsTable } from '../../src/platform/database/applied-migrations.ts';
import { noDeadlines } from '../../src/platform/database/deadlines.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { CAPTURE_TRIGGERS } from '../support/capture-triggers.ts';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/database.ts';
import { describeSchema } from '../support/describe-schema.ts';

let databases: TestDatabase[];
let pools: [migrated: Pool, created: Pool];

beforeAll(async () => {
  databases = [await createTestDatabase(), await createEmptyDatabase()];
  const [migrated, created] = databases.map(({ url }) => createPool(url, 2, noDeadlines)) as typeof pools;
  pools = [migrated, created];
  await migrated.query(`drop schema ${CAPTURE_TRIGGERS} cascade`);
});
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()));
  await Promise.all(databases.map((database) => database.drop()));
});

test('the files create the schema that the migrations made', async () => {
  const [migrated, created] = pools;
  for (const { sql } of await schemaFiles(migrated, new Map())) await created.query(sql);
  await migrated.query(`drop table ${migrationsTable}`);
  expect(await describeSchema(created)).toEqual(await describeSchema(migrated));
});

test('the description of a schema names every change of it', async () => {
  const [, created] = pools;
  const before = await describeSchema(created);
  const changes = [
    'alter table users alter column display_name drop not null',
    'alter table users set (fillfactor = 70)',
    'create index users_display_name on users (display_name)',
    `comment on column users.id is 'an id'`,
    `alter type rail add value 'SWIFT' before 'SEPA'`,
    'alter table withdraws add constraint positive check (seq > 0) not valid',
    'alter table audit_events disable trigger audit_events_keep',
    'grant select on users to public',
    'revoke execute on function audit_events_refuse() from public',
    `insert into schema_floor (version) values ('9.0.0')`,
  ];
  let last = before;
  for (const change of changes) {
    await created.query(change);
    const next = await describeSchema(created);
    expect([change, next]).not.toEqual([change, last]);
    last = next;
  }
});

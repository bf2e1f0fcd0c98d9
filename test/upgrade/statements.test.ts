// While a new version is deployed, and after it is rolled back, the former version sends its statements to the new schema.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from 'pg';
import semver from 'semver';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { NamedStatement } from '../../scripts/statements.ts';
import { useDatabase } from '../support/use-database.ts';

const folder = path.join(import.meta.dirname, 'fixtures/statements');
const versions = globSync('*.json', { cwd: folder }).map((file) => path.basename(file, '.json'));
const { version } = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../../package.json'), 'utf8'),
) as { version: string };

const database = useDatabase();
let client: Client;

beforeAll(async () => {
  client = new Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
});

const statementsOf = (one: string): NamedStatement[] =>
  JSON.parse(readFileSync(path.join(folder, `${one}.json`), 'utf8')) as NamedStatement[];

test('the statements of the present version are recorded when it is released', () => {
  expect(versions).toContain(version);
});

test.each(versions)(
  'the schema accepts every statement of version %s, which may serve on it',
  async (one) => {
    const { rows } = await client.query<{ version: string }>('select version from schema_floor');
    const tooOld = rows.filter((floor) => semver.lt(one, floor.version));
    expect(tooOld, 'Remove the statements of a version that no longer may serve.').toEqual([]);
    const statements = statementsOf(one);
    expect(statements.length).toBeGreaterThan(300);
    const refused: string[] = [];
    for (const { name, text } of statements)
      await client.query(`prepare former as ${text}`).then(
        () => client.query('deallocate former'),
        (error: Error) => refused.push(`${name}: ${error.message}`),
      );
    expect(refused).toEqual([]);
  },
);

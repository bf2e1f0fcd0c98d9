// PostgreSQL accepts every statement of src/tables/, including those that run once a night or in an emergency.
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { statementsIn } from '../../scripts/statements.ts';
import { useDatabase } from '../support/use-database.ts';

const statements = await statementsIn();

const database = useDatabase();
let client: Client;

beforeAll(async () => {
  client = new Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
});

test('src/tables/ has many statements, and each name occurs once', () => {
  const names = statements.map(({ name }) => name);
  expect(names.length).toBeGreaterThan(300);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

/** `listen` has no plan, so it cannot be prepared. */
const prepared = statements.filter(({ text }) => !text.startsWith('listen '));

test.each(prepared)('PostgreSQL accepts $name ($file)', async ({ text }) => {
  await expect(client.query(`prepare checked as ${text}`)).resolves.toBeDefined();
  await client.query('deallocate checked');
});

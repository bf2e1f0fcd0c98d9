// Runs every statement of src/tables/ with sample values on a database, and lists those that it refuses.
import { Client, type DatabaseError } from 'pg';
import { statementsIn } from '../../scripts/statements.ts';

export type Refused = { name: string; reason: string };

/** Values that any database refuses, whatever its engine: the samples violate a rule of the schema. */
const OUR_OWN_RULES = ['23', '22'];

/** Runs each statement in a transaction of its own, which is rolled back. */
export async function refusedStatements(url: string): Promise<{ run: number; refused: Refused[] }> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await runAll(client);
  } finally {
    await client.end();
  }
}

async function runAll(client: Client): Promise<{ run: number; refused: Refused[] }> {
  const statements = (await statementsIn()).filter(({ text }) => !text.startsWith('listen '));
  const refused: Refused[] = [];
  for (const { name, text } of statements) {
    await client.query('begin');
    try {
      await client.query(text, await sampleValues(client, text));
    } catch (error) {
      const { code = '', message } = error as DatabaseError;
      if (!OUR_OWN_RULES.some((rule) => code.startsWith(rule))) refused.push({ name, reason: message });
    } finally {
      await client.query('rollback');
    }
  }
  return { run: statements.length, refused };
}

/** Returns a value of each parameter's type. PostgreSQL infers the types. */
async function sampleValues(client: Client, text: string): Promise<(string | null)[]> {
  await client.query(`prepare sample as ${text}`);
  const { rows } = await client.query<{ type: string; label: string | null }>(`
    select parameter.type::text as type, (
      select case when element.oid = parameter.type::oid then enumlabel else format('{%s}', enumlabel) end
      from pg_type as element join pg_enum on enumtypid = element.oid
      where element.oid = parameter.type::oid or element.typarray = parameter.type::oid
      order by enumsortorder limit 1
    ) as label
    from pg_prepared_statements, unnest(parameter_types) with ordinality as parameter (type, nth)
    where name = 'sample' order by nth`);
  await client.query('deallocate sample');
  return rows.map(({ type, label }) => label ?? sampleOf(type));
}

function sampleOf(type: string): string {
  if (type.endsWith('[]'))
    return `{${type === 'bytea[]' ? '' : JSON.stringify(sampleOf(type.slice(0, -2)))}}`;
  const sample = samples[type];
  if (sample === undefined) throw new Error(`there is no sample of the type ${type}`);
  return sample;
}

const samples: Record<string, string> = {
  uuid: '00000000-0000-7000-8000-000000000001',
  text: '1',
  'character varying': '1',
  integer: '1',
  smallint: '1',
  bigint: '1',
  numeric: '1',
  'double precision': '1',
  boolean: 'true',
  'timestamp with time zone': '2026-01-01T00:00:00Z',
  jsonb: '{}',
  json: '{}',
  bytea: '\\x01',
};

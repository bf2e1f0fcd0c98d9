// Runs every statement of src/tables/ with sample values on a cluster, lists those that it refuses, and counts the servers of each.
import { Client, type DatabaseError, escapeLiteral } from 'pg';
import { statementsIn } from '../../scripts/statements.ts';

export type Refused = { name: string; reason: string };

/** Statements by the servers that they ask: the coordinator alone, the server of one user or callback, or all servers. */
export type ServersAsked = { coordinator: number; oneServer: number; allServers: number };

export type Statements = { run: number; refused: Refused[]; servers: ServersAsked };

/** Values that any database refuses, whatever its engine: the samples violate a rule of the schema. */
const OUR_OWN_RULES = ['23', '22'];

/** Runs each statement in a transaction of its own, which is rolled back. */
export async function runStatements(url: string): Promise<Statements> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await runAll(client);
  } finally {
    await client.end();
  }
}

async function runAll(client: Client): Promise<Statements> {
  const statements = (await statementsIn()).filter(({ text }) => !text.startsWith('listen '));
  const refused: Refused[] = [];
  const servers: ServersAsked = { coordinator: 0, oneServer: 0, allServers: 0 };
  for (const { name, text } of statements) {
    await client.query('begin');
    try {
      const samples = await samplesFor(client, text);
      servers[await serversAsked(client, text, samples)] += 1;
      await client.query(
        text,
        samples.map(({ value }) => value),
      );
    } catch (error) {
      const { code = '', message } = error as DatabaseError;
      if (!OUR_OWN_RULES.some((rule) => code.startsWith(rule))) refused.push({ name, reason: message });
    } finally {
      await client.query('rollback');
    }
  }
  return { run: statements.length, refused, servers };
}

/** Reads from the plan how many shards the statement asks. */
async function serversAsked(
  client: Client,
  text: string,
  samples: readonly Sample[],
): Promise<keyof ServersAsked> {
  const withValues = text.replaceAll(/\$(\d+)/g, (_parameter, nth: string) => {
    const { value, type } = samples[Number(nth) - 1] ?? { value: '', type: 'text' };
    return `${escapeLiteral(value)}::${type}`;
  });
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (costs off) ${withValues}`);
  const tasks = rows.map((row) => Number(/Task Count: (\d+)/.exec(row['QUERY PLAN'])?.[1] ?? 0));
  const taskCount = Math.max(...tasks);
  return taskCount === 0 ? 'coordinator' : taskCount === 1 ? 'oneServer' : 'allServers';
}

type Sample = { value: string; type: string };

/** Returns a value of each parameter's type. PostgreSQL infers the types. */
async function samplesFor(client: Client, text: string): Promise<Sample[]> {
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
  return rows.map(({ type, label }) => ({ type, value: label ?? sampleOf(type) }));
}

function sampleOf(type: string): string {
  if (type.endsWith('[]'))
    return `{${type === 'bytea[]' ? '' : JSON.stringify(sampleOf(type.slice(0, -2)))}}`;
  const sample = samplesByType[type];
  if (sample === undefined) throw new Error(`there is no sample of the type ${type}`);
  return sample;
}

const samplesByType: Record<string, string> = {
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

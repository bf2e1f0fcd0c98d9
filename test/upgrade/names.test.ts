// Names that outlive a release, because databases, dashboards, scripts and configurations contain them. The names in
// `fixtures/names.json` are literal and the names of the code are derived, so a rename fails here. Other tests check derived values
// (values.test.ts), states and machine events (states.test.ts), and the public API (`openapi/released/`).
import { globSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { commands, groups } from '../../packages/ops/src/commands.ts';
import { logCodes } from '../../src/domain/log.ts';
import { NOT_CHECKED } from '../../src/jobs/counters.ts';
import { jobs } from '../../src/jobs/jobs.ts';
import { migrationsFolder } from '../../src/platform/database/applied-migrations.ts';
import { createOrm } from '../../src/platform/database/orm.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { CHAIN_BREAKS } from '../../src/platform/sql/chain-breaks.ts';
import { ROTATION_JOB } from '../../src/platform/sql/webhook-secrets.ts';
import { refusalCodes } from '../../src/provider/errors.ts';
import { READABLE } from '../../src/reports/list-findings.ts';
import { CAME_BACK } from '../../src/reports/vanished.ts';
import { UNMAPPED_EVENT } from '../../src/webhooks/outcome.ts';
import { sourcesIn } from '../support/sources.ts';
import names from './fixtures/names.json' with { type: 'json' };

/** The reason why each list of names is fixed: who depends on the names, and the consequence of a change. */
const meanings: Record<keyof typeof names, string> = {
  columns: 'The release before this one still reads these columns while both run.',
  storedValues: 'Rows hold these values of the database’s own types.',
  heldRefusals: 'Effects whose refusal is pending hold these codes, and decide by them.',
  resolutions: 'Rows hold these sentences, and statements compare with them.',
  jobs: 'Runs in progress hold the job’s name and the name of its stage.',
  jobCounts: 'Finished runs hold these counts, and statements read them.',
  auditActions: 'The audit record holds these actions, and it is never rewritten.',
  migrations: 'Databases hold the names of their migrations: a migration under a new name is applied again.',
  logCodes: 'Alarms and searches in logs go by these codes.',
  metrics: 'Dashboards and alarms go by these metrics.',
  commands: 'Operators’ scripts and runbooks call these commands with these options.',
  variables: 'Deployments set these variables: under a new name, an optional one is silently ignored.',
};

const sources = sourcesIn('src', 'packages/ops/src');

/** The matches of the pattern's only group in these files. */
const foundIn = (files: RegExp, pattern: RegExp): string[] =>
  sources
    .filter(({ file }) => files.test(file))
    .flatMap(({ code }) => [...code.matchAll(pattern)].map(([, name = '']) => name));

/** The schema as the entities declare it. test/database/schema.test.ts compares it with the migrated database. */
async function schemaNames(): Promise<{ columns: string[]; storedValues: string[] }> {
  const orm = await createOrm(createPool('postgres://nobody@localhost/never-connected', 1));
  const tables = [...orm.getMetadata().getAll().values()];
  await orm.close(true);
  const properties = tables.flatMap(({ tableName, props }) => props.map((one) => ({ tableName, ...one })));
  return {
    columns: properties.flatMap(({ tableName, fieldNames }) =>
      fieldNames.map((column) => `${tableName}.${column}`),
    ),
    storedValues: properties.flatMap(({ nativeEnumName, items = [] }) =>
      items.map((value) => `${nativeEnumName} ${value}`),
    ),
  };
}

/** Actions are recorded under their command's name, which is a literal in the file that records them. */
const operatorActions = groups
  .filter(({ areActions }) => areActions)
  .flatMap((group) => group.commands.map(({ name }) => name))
  .filter(
    (name) =>
      foundIn(/^(packages\/ops\/src\/actions|src\/privacy)\//, new RegExp(`['\`](${name})\\b`, 'g')).length >
      0,
  )
  .map((name) => `operator.${name}`);

const commandNames = commands.flatMap(({ name, argument, options = {} }) => [
  argument ? `${name} <${argument.name}>` : name,
  ...Object.entries(options).map(([option, { placeholder = '' }]) =>
    `${name} --${option} ${placeholder}`.trimEnd(),
  ),
]);

const actual: Record<keyof typeof names, string[]> = {
  ...(await schemaNames()),
  heldRefusals: [...refusalCodes],
  resolutions: [UNMAPPED_EVENT, CAME_BACK, READABLE],
  jobs: [
    ...Object.entries(jobs).flatMap(([job, stages]) => stages.map(({ name }) => `${job} ${name}`)),
    ROTATION_JOB,
  ],
  jobCounts: [NOT_CHECKED, CHAIN_BREAKS],
  auditActions: [
    ...foundIn(/^src\//, /(?:action: |turnedAway\(services\.auditLog, )'([\w-]+\.[\w-]+)'/g),
    ...operatorActions,
  ],
  migrations: globSync('Migration*.ts', { cwd: migrationsFolder }).map((file) => path.basename(file, '.ts')),
  logCodes: Object.keys(logCodes),
  metrics: foundIn(/^src\/metrics\//, /'(ponte_\w+)'/g),
  commands: commandNames,
  variables: foundIn(/^src\/start\/config\.ts$/, /^ {6}([A-Z_]+): /gm),
};

const kinds = Object.keys(meanings) as (keyof typeof names)[];

test.each(kinds)('the names of %s that were released are unchanged', (kind) => {
  const present = new Set(actual[kind]);
  const gone = names[kind].filter((name) => !present.has(name));
  expect(
    gone,
    `${meanings[kind]} Put them back. If a name has to go, a released version stops using it first; then take its line away.`,
  ).toEqual([]);
});

test.each(kinds)('every name of %s is in the fixture', (kind) => {
  const held = new Set(names[kind]);
  const added = [...new Set(actual[kind])].filter((name) => !held.has(name));
  expect(added, `${meanings[kind]} Add these lines to test/upgrade/fixtures/names.json.`).toEqual([]);
});

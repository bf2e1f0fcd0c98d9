// The names of the code that outlive a release, derived from it. `fixtures/names.json` has them as literals.
import { globSync } from 'node:fs';
import path from 'node:path';
import { commands, groups } from '../../ops/commands.ts';
import { logCodes } from '../../src/domain/log.ts';
import { NOT_CHECKED } from '../../src/jobs/counters.ts';
import { jobs } from '../../src/jobs/jobs.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { refusalCodes } from '../../src/provider/errors.ts';
import { READABLE } from '../../src/reports/list-findings.ts';
import { CAME_BACK } from '../../src/reports/vanished.ts';
import { CHAIN_BREAKS } from '../../src/tables/audit-events/chain-breaks.ts';
import { createOrm } from '../../src/tables/orm.ts';
import { migrationsFolder } from '../../src/tables/schema/applied-migrations.ts';
import { ROTATION_JOB } from '../../src/tables/webhook-secrets/statements.ts';
import { UNMAPPED_EVENT } from '../../src/webhooks/outcome.ts';
import { sourcesIn } from '../support/sources.ts';

const sources = sourcesIn('src', 'ops');

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
    (name) => foundIn(/^(ops\/actions|src\/privacy)\//, new RegExp(`['\`](${name})\\b`, 'g')).length > 0,
  )
  .map((name) => `operator.${name}`);

const commandNames = commands.flatMap(({ name, argument, options = {} }) => [
  argument ? `${name} <${argument.name}>` : name,
  ...Object.entries(options).map(([option, { placeholder = '' }]) =>
    `${name} --${option} ${placeholder}`.trimEnd(),
  ),
]);

/** Every name of the code, by the list of `fixtures/names.json` that has it. */
export const namesOfCode = {
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
  variables: foundIn(/^src\/start\/config\.ts$/, /^ {2}([A-Z_]+): /gm),
} satisfies Record<string, string[]>;

export type NameKind = keyof typeof namesOfCode;

// `npm run mutation-score`: Stryker changes the pure code in one place at a time, and the tests without a database must notice.
// Fails below the threshold of stryker.config.json, and if the survivors are not those that survivors.json gives reasons for. With
// `--database`, it samples changes of code that needs a database, and prints the share that tests notice.
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { MutantResult } from '@stryker-mutator/api/core';
import { Stryker } from '@stryker-mutator/core';
import { SAMPLE } from './sample.ts';
import survivors from './survivors.json' with { type: 'json' };

/** By file, each surviving change and the reason why no test has to notice it. */
const reasons: Record<string, Record<string, string>> = survivors;

const root = path.resolve(import.meta.dirname, '../..');
process.chdir(root);

const { values: options } = parseArgs({
  options: {
    database: { type: 'boolean', default: false },
    /** Folders of src/ whose code is changed, with --database. */
    folders: { type: 'string', default: 'outbox,webhooks,reports,effects' },
    /** Folders of test/ whose tests run, with --database. */
    tests: { type: 'string', default: 'outbox,webhooks,reports,effects,flows' },
    /** The number of changes that are tried, with --database: as many as two processors try in less than two hours. */
    sample: { type: 'string', default: '100' },
    seed: { type: 'string', default: String(randomInt(1e9)) },
  },
});

if (options.database) await sampleWithDatabase();
else await scorePureCode();

async function scorePureCode(): Promise<void> {
  const { survived, killed } = outcomesIn(
    await new Stryker({ configFile: 'proof/mutation-score/stryker.config.json' }).runMutationTest(),
  );
  report(killed.length, survived.length);
  const found = new Set(survived.map(nameOf));
  const explained = new Set(
    Object.entries(reasons).flatMap(([file, ofFile]) =>
      Object.keys(ofFile).map((change) => `${file}: ${change}`),
    ),
  );
  list(
    'Survivors without a reason. Write a test that kills them, or a reason in survivors.json:',
    found,
    explained,
  );
  list('No longer survivors. Take them out of survivors.json:', explained, found);
}

/** Stryker's worker processes read the sample and the tests from the environment. */
async function sampleWithDatabase(): Promise<void> {
  const { folders, tests, sample, seed } = options;
  process.env[SAMPLE] = `${sample}/${seed}`;
  process.env['MUTANT_TESTS'] = tests;
  const { survived, killed } = outcomesIn(
    await new Stryker({
      configFile: 'proof/mutation-score/stryker.database.config.json',
      mutate: folders.split(',').map((folder) => `src/${folder}/*.ts`),
    }).runMutationTest(),
  );
  for (const one of survived) console.log(`${one.status}  ${nameOf(one)}`);
  console.log(`seed ${seed}, src/ ${folders}, tests of ${tests}`);
  report(killed.length, survived.length);
}

function outcomesIn(results: MutantResult[]): { survived: MutantResult[]; killed: MutantResult[] } {
  return {
    survived: results.filter(({ status }) => status === 'Survived' || status === 'NoCoverage'),
    killed: results.filter(({ status }) => status === 'Killed' || status === 'Timeout'),
  };
}

function report(killed: number, survived: number): void {
  const score = (100 * killed) / (killed + survived);
  console.log(`${killed} of ${killed + survived} mutants killed: ${score.toFixed(1)} %`);
}

/** Names a change by its text, which stays the same when lines move. Equal changes of one file share a name. */
function nameOf({ fileName, location: { start, end }, replacement }: MutantResult): string {
  const lines = readFileSync(fileName, 'utf8')
    .split('\n')
    .slice(start.line - 1, end.line);
  const last = lines.length - 1;
  lines[last] = lines[last]?.slice(0, end.column - 1) ?? '';
  lines[0] = lines[0]?.slice(start.column - 1) ?? '';
  return `${path.relative(root, fileName)}: ${oneLine(lines.join('\n'))} -> ${oneLine(replacement)}`;
}

/** Shortens a long piece of code to its beginning, which identifies it. */
function oneLine(code: string): string {
  const line = code.replaceAll(/\s+/g, ' ').trim();
  return line.length > 100 ? `${line.slice(0, 97)}...` : line;
}

function list(sentence: string, names: Set<string>, others: Set<string>): void {
  const missing = [...names].filter((name) => !others.has(name));
  if (missing.length === 0) return;
  console.error([sentence, ...missing.toSorted()].join('\n  '));
  process.exitCode = 1;
}

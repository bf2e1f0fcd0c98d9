// `npm run mutation-score`: Stryker changes the pure code in one place at a time, and the tests without a database must notice.
// Fails below the threshold of stryker.config.json, and if the survivors are not those that survivors.json gives reasons for.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { MutantResult } from '@stryker-mutator/api/core';
import { Stryker } from '@stryker-mutator/core';
import survivors from './survivors.json' with { type: 'json' };

/** By file, each surviving change and the reason why no test has to notice it. */
const known: Record<string, Record<string, string>> = survivors;

const root = path.resolve(import.meta.dirname, '../..');
process.chdir(root);

const results = await new Stryker({
  configFile: 'proof/mutation-score/stryker.config.json',
}).runMutationTest();

const survived = results.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
const killed = results.filter(({ status }) => status === 'Killed' || status === 'Timeout');
const score = (100 * killed.length) / (killed.length + survived.length);
console.log(`${killed.length} of ${killed.length + survived.length} mutants killed: ${score.toFixed(1)} %`);

const found = new Set(survived.map(nameOf));
const explained = new Set(
  Object.entries(known).flatMap(([file, reasons]) =>
    Object.keys(reasons).map((change) => `${file}: ${change}`),
  ),
);
report(
  'Survivors without a reason. Write a test that kills them, or a reason in survivors.json:',
  found,
  explained,
);
report('No longer survivors. Take them out of survivors.json:', explained, found);

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

function report(sentence: string, names: Set<string>, others: Set<string>): void {
  const missing = [...names].filter((name) => !others.has(name));
  if (missing.length === 0) return;
  console.error([sentence, ...missing.toSorted()].join('\n  '));
  process.exitCode = 1;
}

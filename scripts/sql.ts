// `npm run sql -- <name>` prints a statement of src/tables/ as it is sent, to be pasted into psql. Without a name, it lists all
// statements. `--record` writes all of them to the fixtures of the present version, as part of its release.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import manifest from '../package.json' with { type: 'json' };
import { type NamedStatement, statementsIn } from './statements.ts';

const { values: options, positionals } = parseArgs({
  options: { record: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const [wanted] = positionals;
const statements = await statementsIn();

if (options.record) record(statements);
else if (wanted === undefined)
  for (const { name, file } of statements) console.log(`${name.padEnd(40)} ${file}`);
else print(wanted);

function print(name: string): void {
  const found = statements.filter((one) => one.name === name);
  for (const { file, text } of found) console.log(`-- ${name} in ${file}\n${text};\n`);
  if (found.length > 0) return;
  console.error(`No statement is called ${name}. \`npm run sql\` lists their names.`);
  process.exitCode = 1;
}

/** Writes the statements that can be prepared. `listen` cannot. */
function record(all: NamedStatement[]): void {
  const folder = path.join(import.meta.dirname, '../test/upgrade/fixtures/statements');
  const kept = all
    .filter(({ text }) => !text.startsWith('listen '))
    .map(({ name, text }) => ({ name, text: text.replace(/\s+/g, ' ').trim() }));
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, `${manifest.version}.json`), `${JSON.stringify(kept, null, 2)}\n`);
}

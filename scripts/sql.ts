// `npm run sql -- <name>` prints a statement of src/platform/sql/ as it is sent, to be pasted into psql. Without a name, it lists all
// statements.
import { statementsIn } from './statements.ts';

const [wanted] = process.argv.slice(2);
const statements = await statementsIn();
const found = statements.filter(({ name }) => wanted === undefined || name === wanted);
if (wanted === undefined) for (const { name, file } of found) console.log(`${name.padEnd(40)} ${file}`);
else for (const { name, file, text } of found) console.log(`-- ${name} in ${file}\n${text};\n`);
if (found.length === 0) {
  console.error(`No statement is called ${wanted}. \`npm run sql\` lists their names.`);
  process.exitCode = 1;
}

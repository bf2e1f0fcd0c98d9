// `npm run try:distributed -- --url <coordinator>`: runs the service on Citus. Exits with 1 if anything does not hold.
import { writeSection } from '../../harness/report.ts';
import { runInFolder } from '../run-in-folder.ts';
import { readOptions } from './options.ts';
import { run } from './run.ts';

const options = readOptions(process.argv.slice(2));

const section = {
  heading: 'Several database servers',
  begin: '<!-- distributed:begin, written by npm run try:distributed -- --report -->',
  end: '<!-- distributed:end -->',
};

await runInFolder('distributed', options, async (folder, atEnd) => {
  const { table, violations } = await run(options, folder, atEnd);
  console.log(`\n${table}\n`);
  if (options.reportFile !== null) writeSection(options.reportFile, section, table);
  for (const violation of violations.slice(0, 20)) console.error(`VIOLATION  ${violation}`);
  return violations.length === 0;
});

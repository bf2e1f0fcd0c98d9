// `npm run try:failover`: kills the primary database under load and promotes its standby, again and again. With a synchronous
// standby, every payment that was acknowledged must exist and the auditor must find no violation. With `--asynchronous`, the run
// shows what a failover loses and what the recovery brings back; with `--from-archive` (`npm run try:restore`), the same of a base backup
// and an archived log, and with `--measure 900000` how long that takes for a database with so many callbacks. Exits with 1 if anything
// does not hold.
import { join } from 'node:path';
import { writeSection } from '../../harness/report.ts';
import { runInFolder } from '../run-in-folder.ts';
import { measureRestore } from './measure-restore.ts';
import { readOptions } from './options.ts';
import { run } from './run.ts';

const options = readOptions(process.argv.slice(2));
const name = options.successor;
const command = {
  synchronous: 'npm run try:failover --',
  asynchronous: 'npm run try:failover -- --asynchronous',
  archive: 'npm run try:restore --',
}[name];

const section = {
  heading: 'Failover',
  begin: `<!-- failover-${name}:begin, written by ${command} --report -->`,
  end: `<!-- failover-${name}:end -->`,
};

await runInFolder('failover', options, async (folder, atEnd) => {
  if (options.measuredCallbacks !== null) {
    console.log(await measureRestore(join(folder, 'database'), options.measuredCallbacks, atEnd));
    return true;
  }
  const { tables, violations } = await run(options, folder, atEnd);
  console.log(`\n${tables}\n`);
  if (options.reportFile !== null) writeSection(options.reportFile, section, tables);
  for (const violation of violations.slice(0, 20)) console.error(`VIOLATION  ${violation}`);
  return violations.length === 0;
});

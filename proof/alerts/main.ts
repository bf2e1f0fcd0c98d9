// `npm run try:alerts`: injects incidents into a running service through the sandbox's controls, the database and its processes. A real
// Prometheus scrapes the service and evaluates the shipped rules. Each incident must ring its alerts, and no other alert. Exits with 1 if
// anything does not hold.
import { existsSync } from 'node:fs';
import { hasAlertmanager } from '../../harness/monitoring/alertmanager.ts';
import { hasPrometheus } from '../../harness/monitoring/prometheus.ts';
import { writeSection } from '../../harness/report.ts';
import { runInFolder } from '../run-in-folder.ts';
import { incidents } from './incidents/all.ts';
import { readOptions } from './options.ts';
import { reportOf } from './report.ts';
import { keepResult, keepWeek, readResults } from './results.ts';
import { drillAll } from './run.ts';
import { drillWeek } from './week.ts';

const options = readOptions(process.argv.slice(2));

const section = {
  heading: 'Alarms',
  begin: '<!-- alerts:begin, written by npm run try:alerts -- --report -->',
  end: '<!-- alerts:end -->',
};

if (!hasPrometheus || !hasAlertmanager) {
  console.error('Install them first: apt-get install prometheus prometheus-alertmanager (Debian).');
  process.exit(1);
}

await runInFolder('alerts', options, async (folder, atEnd) => {
  if (options.isWeek) {
    const week = await drillWeek(folder, atEnd);
    keepWeek(week.text);
    console.log(`\n${week.text}\n`);
    for (const violation of week.violations) console.error(`VIOLATION  ${violation}`);
    return week.violations.length === 0;
  }
  const chosen = incidents.filter(({ name }) => options.only.length === 0 || options.only.includes(name));
  const violations: string[] = [];
  const runNext = (): Promise<void> =>
    drillAll(
      () => chosen.shift(),
      folder,
      atEnd,
      (result) => {
        keepResult(result);
        violations.push(...result.violations);
      },
    );
  await Promise.all(Array.from({ length: options.together }, runNext));
  const text = reportOf(readResults());
  console.log(`\n${text}\n`);
  if (options.reportFile !== null && existsSync(options.reportFile))
    writeSection(options.reportFile, section, text);
  for (const violation of violations) console.error(`VIOLATION  ${violation}`);
  return violations.length === 0;
});

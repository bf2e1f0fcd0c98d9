// `npm run try:alerts`: injects incidents into a running service through the sandbox's controls, the database and its processes. A real
// Prometheus scrapes the service and evaluates the shipped rules. Each incident must ring its alerts, and no other alert. Exits with 1 if
// anything does not hold.
import { existsSync } from 'node:fs';
import { hasAlertmanager } from '../../harness/monitoring/alertmanager.ts';
import { hasPrometheus } from '../../harness/monitoring/prometheus.ts';
import { writeSection } from '../../harness/report.ts';
import { runInFolder } from '../run-in-folder.ts';
import { incidents } from './incidents.ts';
import { readOptions } from './options.ts';
import { reportOf } from './report.ts';
import { drill, type Result } from './run.ts';

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
  const chosen = incidents.filter(({ name }) => options.only.length === 0 || options.only.includes(name));
  const results: Result[] = [];
  for (const incident of chosen) results.push(await drill(incident, folder, atEnd));
  const text = reportOf(results);
  console.log(`\n${text}\n`);
  if (options.reportFile !== null && existsSync(options.reportFile))
    writeSection(options.reportFile, section, text);
  const violations = results.flatMap(({ violations: of }) => of);
  for (const violation of violations) console.error(`VIOLATION  ${violation}`);
  return violations.length === 0;
});

// The table of incidents, for the terminal and for a document.
import { machine } from '../../harness/report.ts';
import { alignedTable } from '../../scripts/runbook.ts';
import { incidents } from './incidents/all.ts';
import type { Results } from './results.ts';
import type { Rung } from './run.ts';

/** Reports what is known of any of the incidents. */
export function reportOf({ incidents: results, week }: Results): string {
  const told = incidents.flatMap((incident) => {
    const result = results.find(({ name }) => name === incident.name);
    return result ? [{ ...incident, ...result }] : [];
  });
  const violations = told.reduce((sum, one) => sum + one.violations.length, 0);
  const days = [...new Set(told.map(({ day }) => day))].toSorted();
  const head = `${[days[0], days.at(-1)].filter((day, index) => index === 0 || day !== days[0]).join(' to ')}, \`npm run try:alerts\`, ${machine()}: ${told.length} of ${incidents.length} incidents, ${violations} violations.`;
  const table = alignedTable([
    ['Incident', 'Rang, after', 'Paged', '`ops status` said', 'Rightly silent'],
    ...told.map(({ injected, rung, pages, status, silent }) => [
      injected,
      rung.map(rungText).join(', ') || 'nothing',
      pages.map((alerts) => [...new Set(alerts)].join(' and ')).join(', then ') || 'nobody',
      statusText(status, rung),
      Object.entries(silent)
        .map(([alert, why]) => `\`${alert}\`: ${why}`)
        .join('; '),
    ]),
  ]);
  return [head, ...(week === null ? [] : [week]), table].join('\n\n');
}

const rungText = ({ alert, severity, afterMs }: Rung): string =>
  `\`${alert}\` (${severity}) ${spanText(afterMs / 1_000)}`;

function spanText(seconds: number): string {
  if (seconds < 1_000) return `${Math.round(seconds)} s`;
  return seconds < 3 * 3_600 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}

/** The sections that say what is wrong. Their lines are indented. */
const TOLD = ['Not seen', 'Paused effects', 'Open circuits', 'Firing alarms', 'Waiting for a person'];

/** Returns the lines of those sections, without what differs in each run. The alarms that rang are not named again. */
function statusText(status: string, rung: Rung[]): string {
  if (status === '') return 'not asked';
  const lines = status.split('\n');
  const told = TOLD.flatMap((title) => {
    const from = lines.indexOf(title) + 1;
    const to = lines.indexOf('', from);
    const said = lines.slice(from, to < 0 ? undefined : to).map((line) => line.trim());
    if (from === 0 || ['none', 'nothing'].includes(said.join())) return [];
    const sentences = [...new Set(said.map(shortened).filter(Boolean))];
    if (title !== 'Firing alarms') return [`${title.toLowerCase()}: ${sentences.join('; ')}`];
    const alarms = sentences.filter((one) => one.startsWith('Ponte') && !one.includes(' '));
    const others = sentences.filter((one) => !alarms.includes(one));
    const areAll = rung.every(({ alert }) => alarms.includes(alert)) && alarms.length === rung.length;
    return [[areAll ? 'these alarms' : alarms.join(', '), ...others].filter(Boolean).join('; ')];
  });
  return told.join('; ') || 'nothing';
}

/** The first sentence, without names of processes, errors, the head of a table, and the command that lists more. */
const shortened = (line: string): string =>
  line
    .replace(/^.*, last seen [^:]*: /, '')
    .replaceAll(/ \([^)]*\)/g, '')
    .replace(/^((?:Prometheus|The database) [^:.]*)[:.].*$/, '$1')
    .replace(/^(how many|since) .*$/, '')
    .replace(/^.* {2}(Ponte\w+) {2}.*$/, '$1')
    .replace(/^(\d+) {2}(.*?) {2,}.*$/, '$1 $2');

// The table of incidents, for the terminal and for a document.
import { machine } from '../../harness/report.ts';
import { alignedTable } from '../../scripts/runbook.ts';
import { incidents } from './incidents.ts';
import type { Result, Rung } from './run.ts';

export function reportOf(results: Result[]): string {
  const violations = results.reduce((sum, one) => sum + one.violations.length, 0);
  const today = new Date().toISOString().slice(0, 10);
  const head = `${today}, \`npm run try:alerts\`, ${machine()}: ${results.length} of ${incidents.length} incidents, ${violations} violations.`;
  const rang = alignedTable([
    ['Incident', 'Rang, after', 'Paged', '`ops status` said'],
    ...results.map(({ incident, rung, pages, status }) => [
      incident.injected,
      rung.map(rungText).join(', ') || 'nothing',
      pages.map((alerts) => [...new Set(alerts)].join(' and ')).join(', then ') || 'nobody',
      statusText(status),
    ]),
  ]);
  const silent = alignedTable([
    ['Incident', 'Silent', 'That is right, because'],
    ...results.flatMap(({ incident: { injected, silent: alerts } }) =>
      Object.entries(alerts).map(([alert, why]) => [injected, `\`${alert}\``, why]),
    ),
  ]);
  return [head, rang, silent].join('\n\n');
}

const rungText = ({ alert, severity, afterMs }: Rung): string =>
  `\`${alert}\` (${severity}) ${Math.round(afterMs / 1_000)} s`;

/** The sections that say what is wrong. Their lines are indented. */
const TOLD = ['Paused effects', 'Open circuits', 'Firing alarms', 'Waiting for a person'];

/** Returns the lines of those sections, without what differs in each run. */
function statusText(status: string): string {
  const lines = status.split('\n');
  const told = TOLD.flatMap((title) => {
    const from = lines.indexOf(title) + 1;
    const to = lines.indexOf('', from);
    const said = lines.slice(from, to < 0 ? undefined : to).map((line) => line.trim());
    const isNothing = from === 0 || ['none', 'nothing'].includes(said.join());
    return isNothing
      ? []
      : [`${title.toLowerCase()}: ${[...new Set(said.map(shortened).filter(Boolean))].join('; ')}`];
  });
  return told.join('. ') || 'nothing';
}

/** Without names of processes, errors, the head of a table, and the command that lists more. */
const shortened = (line: string): string =>
  line
    .replace(/^.*, last seen [^:]*: /, '')
    .replaceAll(/ \([^)]*\)/g, '')
    .replace(/^(how many|since) .*$/, '')
    .replace(/^.* {2}(Ponte\w+) {2}.*$/, '$1')
    .replace(/^(\d+) {2}(.*?) {2,}.*$/, '$1 $2');

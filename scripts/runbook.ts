// Writes the lists in docs/runbook.md that the code defines, each between two markers. The rest of the page is written by hand.
import { readFileSync } from 'node:fs';
import { type State, statesOf } from '../machines/arrows.ts';
import { machines } from '../machines/machines.ts';
import { namesOf } from '../src/jobs/reconciliation/unfinished.ts';
import { type AgeGroup, ageGroups } from '../src/lifecycle/age-limits.ts';
import { effectHandlers } from '../src/start/effect-handlers.ts';

const page = new URL('../docs/runbook.md', import.meta.url);

/** Returns the runbook with its generated parts as the code defines them now. */
export function runbookPage(): string {
  const text = withPart(readFileSync(page, 'utf8'), 'age limits', ageLimitsTable());
  return withPart(text, 'effect types', effectTypesList());
}

function withPart(text: string, name: string, part: string): string {
  const [begin, end] = [`<!-- ${name}: written by npm run generate -->\n`, `\n<!-- /${name} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/runbook.md lacks the markers of the ${name}`);
  return `${text.slice(0, from)}${begin}\n${part}\n${text.slice(to)}`;
}

function ageLimitsTable(): string {
  const rows = ageGroups.map((group) => [
    [group.rail, namesOf[group.lifecycle].replace(/s$/, '')].filter(Boolean).join(' '),
    `\`${group.state}\``,
    limitText(group.limitSeconds),
    descriptionOf(group),
  ]);
  return alignedTable([['Row', 'State', 'Limit', 'The money'], ...rows]);
}

const effectTypesList = (): string =>
  `Types:\n\n${Object.keys(effectHandlers)
    .map((type) => `- \`${type}\``)
    .join('\n')}`;

const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** Formats a limit exactly, in the largest unit that divides it. */
function limitText(seconds: AgeGroup['limitSeconds']): string {
  if (seconds === null) return 'none';
  const [unit, length] = units.find(([, of]) => seconds > 0 && seconds % of === 0) ?? ['s', 1];
  return `${seconds / length} ${unit}`;
}

function descriptionOf({ lifecycle, state }: AgeGroup): string {
  const all = (states: State[]): State[] => states.flatMap((one) => [one, ...all(one.children)]);
  return all(statesOf(machines[lifecycle])).find(({ name }) => name === state)?.description ?? '';
}

/** Pads the columns as the formatter of the documents does. */
export function alignedTable(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)));
  const rule = widths.map((width) => '-'.repeat(width));
  return [...lines.slice(0, 1), rule, ...lines.slice(1)]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

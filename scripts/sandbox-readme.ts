// Writes the tables of sandbox/README.md: the magic values and the faults, as the sandbox has them. The text around them stays.
import {
  FAULTS,
  type Fault,
  GROUPS,
  type Group,
  OPERATION_SETS,
  PARAMETERS,
} from '../sandbox/faults/registry.ts';
import { CHAPTERS } from '../sandbox/magic.ts';
import { alignedTable } from './runbook.ts';

/** @param readme the file as it is. Its tables stand between comments that name them. */
export function sandboxReadme(readme: string): string {
  const tables = { magic: magicTable(), faults: GROUPS.map(faultTable).join('\n\n') };
  return Object.entries(tables).reduce((text, [name, content]) => {
    const [begin, end] = [
      `<!-- ${name}: generated from the sandbox by scripts/generate.ts -->`,
      `<!-- ${name} end -->`,
    ];
    const [before, rest = ''] = text.split(begin);
    const [, after] = rest.split(end);
    if (after === undefined) throw new Error(`sandbox/README.md has no place for ${name}`);
    return `${before}${begin}\n\n${content}\n\n${end}${after}`;
  }, readme);
}

const magicTable = (): string =>
  alignedTable([
    ['Field', 'Value', 'Outcome'],
    ...CHAPTERS.flatMap(({ title, field, rows }) =>
      rows.map(({ value, meaning }, at) => [at === 0 ? `${title}: ${field}` : '', code(value), meaning]),
    ),
  ]);

function faultTable(group: Group): string {
  const faults = Object.entries(FAULTS[group] as Record<string, Fault>).map(([name, fault]) => [
    code(name),
    fault.sentence,
    fault.seam,
    callsOf(fault),
    [...(fault.parameters ?? []), ...Object.keys(fault.details ?? {})].map(code).join(', '),
  ]);
  const parameters = Object.entries(PARAMETERS[group]).map(([name, { meaning, otherwise }]) => [
    code(name),
    `${meaning} (${otherwise})`,
    '',
    '',
    '',
  ]);
  return alignedTable([[code(group), 'Effect', 'Seam', 'Calls', 'Details'], ...faults, ...parameters]);
}

function callsOf({ operations }: Fault): string {
  if (operations === undefined) return 'all';
  const [name] = Object.entries(OPERATION_SETS).find(([, set]) => set === operations) ?? [];
  return name ?? operations.map(code).join(', ');
}

const code = (text: string): string => `\`${text}\``;

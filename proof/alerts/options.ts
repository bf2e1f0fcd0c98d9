// The command-line options of a run.
import { parseArgs } from 'node:util';
import { incidents } from './incidents/all.ts';

export type Options = {
  /** The names of the incidents. Empty runs all. */
  only: string[];
  /** Whether a normal week is simulated instead of incidents. */
  isWeek: boolean;
  /** How many incidents run side by side, each with its own service and Prometheus. */
  together: number;
  /** A Markdown file whose section "Alarms" receives the table, or null. */
  reportFile: string | null;
  keep: boolean;
};

/** @throws an error that names the options that cannot be used. */
export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', multiple: true, default: [] },
      together: { type: 'string', default: '1' },
      report: { type: 'string' },
      week: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
    },
  });
  const names = incidents.map(({ name }) => name);
  for (const name of values.only)
    if (!names.includes(name)) throw new Error(`--only must be one of ${names.join(', ')}`);
  const together = Number(values.together);
  if (!Number.isInteger(together) || together < 1) throw new Error('--together must be a number from 1');
  return {
    only: values.only,
    isWeek: values.week,
    together,
    reportFile: values.report ?? null,
    keep: values.keep,
  };
}

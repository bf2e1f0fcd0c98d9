// The command-line options of a run.
import { parseArgs } from 'node:util';
import { incidents } from './incidents.ts';

export type Options = {
  /** The names of the incidents. Empty runs all. */
  only: string[];
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
      report: { type: 'string' },
      keep: { type: 'boolean', default: false },
    },
  });
  const names = incidents.map(({ name }) => name);
  for (const name of values.only)
    if (!names.includes(name)) throw new Error(`--only must be one of ${names.join(', ')}`);
  return { only: values.only, reportFile: values.report ?? null, keep: values.keep };
}

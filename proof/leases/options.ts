// The command-line options of a run.
import { parseArgs } from 'node:util';
import { wholeNumber } from '../whole-number.ts';

const SCENARIOS = ['paused', 'frozen', 'cut', 'killed'] as const;
export type ScenarioName = (typeof SCENARIOS)[number];

export type Options = {
  scenarios: readonly ScenarioName[];
  kills: number;
  pausedMs: number;
  frozenMs: number;
  cutMs: number;
  /** Users who pay without a pause, one payment each at a time. */
  payers: number;
  /** A Markdown file whose section "Leases" receives the tables, or null. */
  reportFile: string | null;
  keep: boolean;
};

/** A sample shows that everything works. Its durations are the shortest that still show the effect. */
const SAMPLE = { kills: 6, pausedMs: 18_000, frozenMs: 12_000, cutMs: 16_000 };
const FULL = { kills: 100, pausedMs: 30_000, frozenMs: 20_000, cutMs: 30_000 };

/** @throws an error that names the options that cannot be used. */
export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      kills: { type: 'string' },
      scenario: { type: 'string', multiple: true },
      payers: { type: 'string', default: '16' },
      sample: { type: 'boolean', default: false },
      report: { type: 'string' },
      keep: { type: 'boolean', default: false },
    },
  });
  const size = values.sample ? SAMPLE : FULL;
  const names = values.scenario ?? SCENARIOS;
  const scenarios = SCENARIOS.filter((name) => names.includes(name));
  if (scenarios.length !== names.length) throw new Error(`--scenario must be one of ${SCENARIOS.join(', ')}`);
  return {
    ...size,
    scenarios,
    kills: values.kills === undefined ? size.kills : wholeNumber('kills', values.kills),
    payers: wholeNumber('payers', values.payers),
    reportFile: values.report ?? null,
    keep: values.keep,
  };
}

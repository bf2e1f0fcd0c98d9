// The command-line options of a run.
import { parseArgs } from 'node:util';
import { wholeNumber } from '../whole-number.ts';

export type Options = {
  failovers: number;
  paymentsPerSecond: number;
  users: number;
  /** What follows the primary. Only a synchronous standby loses nothing; otherwise the operator recovers, as the runbook says. */
  successor: 'synchronous' | 'asynchronous' | 'archive';
  /** Instead of a drill, measures the restore of a database with so many callbacks. Null: a drill. */
  measuredCallbacks: number | null;
  /** A Markdown file whose section "Failover" receives the tables, or null. */
  reportFile: string | null;
  keep: boolean;
};

/** @throws an error that names the options that cannot be used. */
export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      failovers: { type: 'string', default: '10' },
      'payments-per-second': { type: 'string', default: '40' },
      users: { type: 'string', default: '60' },
      asynchronous: { type: 'boolean', default: false },
      'from-archive': { type: 'boolean', default: false },
      measure: { type: 'string' },
      report: { type: 'string' },
      keep: { type: 'boolean', default: false },
    },
  });
  return {
    failovers: wholeNumber('failovers', values.failovers),
    paymentsPerSecond: wholeNumber('payments-per-second', values['payments-per-second']),
    users: wholeNumber('users', values.users),
    successor: values['from-archive'] ? 'archive' : values.asynchronous ? 'asynchronous' : 'synchronous',
    measuredCallbacks: values.measure === undefined ? null : wholeNumber('measure', values.measure),
    reportFile: values.report ?? null,
    keep: values.keep,
  };
}

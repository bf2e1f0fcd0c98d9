// The command-line options of a run.
import { parseArgs } from 'node:util';
import { wholeNumber } from '../whole-number.ts';

export type Options = {
  /** The coordinator's database. It must be empty, because the run creates its tables. */
  url: string;
  payments: number;
  paymentsPerSecond: number;
  users: number;
  /** A Markdown file whose section receives the table, or null. */
  reportFile: string | null;
  keep: boolean;
};

/** @throws an error that names the options that cannot be used. */
export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      url: { type: 'string' },
      payments: { type: 'string', default: '2000' },
      'payments-per-second': { type: 'string', default: '10' },
      users: { type: 'string', default: '60' },
      report: { type: 'string' },
      keep: { type: 'boolean', default: false },
    },
  });
  if (values.url === undefined)
    throw new Error(
      '--url names the coordinator, for example --url postgres://postgres@localhost:5432/ponte',
    );
  return {
    url: values.url,
    payments: wholeNumber('payments', values.payments),
    paymentsPerSecond: wholeNumber('payments-per-second', values['payments-per-second']),
    users: wholeNumber('users', values.users),
    reportFile: values.report ?? null,
    keep: values.keep,
  };
}

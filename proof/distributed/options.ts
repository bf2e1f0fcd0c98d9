// The command-line options of a run.
import { parseArgs } from 'node:util';
import { wholeNumber } from '../whole-number.ts';

export type Options = {
  /** The coordinator's database. It must be empty, because the run creates its tables, and drops them between its stages. */
  url: string;
  /** Payments of each stage. */
  payments: number;
  paymentsPerSecond: number;
  users: number;
  /** Commands of a shell that stop one server of the cluster and start it again. Each pair is one outage. */
  outages: { down: string; up: string }[];
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
      'payments-per-second': { type: 'string', default: '2' },
      users: { type: 'string', default: '60' },
      down: { type: 'string', multiple: true, default: [] },
      up: { type: 'string', multiple: true, default: [] },
      report: { type: 'string' },
      keep: { type: 'boolean', default: false },
    },
  });
  const { url, down, up } = values;
  if (url === undefined)
    throw new Error(
      '--url names the coordinator, for example --url postgres://postgres@localhost:5432/ponte',
    );
  if (down.length !== up.length) throw new Error('each --down needs its --up');
  return {
    url,
    payments: wholeNumber('payments', values.payments),
    paymentsPerSecond: wholeNumber('payments-per-second', values['payments-per-second']),
    users: wholeNumber('users', values.users),
    outages: down.map((command, nth) => ({ down: command, up: up[nth] ?? '' })),
    reportFile: values.report ?? null,
    keep: values.keep,
  };
}

// The command-line options of a run, and its two sizes.
import { parseArgs } from 'node:util';

export type Options = {
  payments: number;
  /** There is one withdrawal for every four payments. */
  withdraws: number;
  kills: number;
  restarts: number;
  users: number;
  /** Instances of the service. Each runs the API and the worker. */
  processes: number;
  /** The same seed makes the same plan, the same provider faults and the same schedule of kills. */
  seed: number;
  concurrency: number;
  /** The minimum duration, in milliseconds: both faults and payments need time. */
  durationMs: number;
  /** A Markdown file whose section "Chaos" receives the tables, or null. */
  reportFile: string | null;
  keep: boolean;
  /** Whether the provider also breaks its contract: see imperfect-provider.ts. */
  imperfectProvider: boolean;
  /** Whether the clocks of the instances are minutes ahead and behind. */
  clocks: boolean;
  /** Whether work accumulates while all instances are down, and is due when they are up again: see backlog.ts. */
  backlog: boolean;
  /** Whether the provider receives requests more than a minute late: see late-payouts.ts. */
  lateRequests: boolean;
  /** The mutation of proof/mutations/mutations.ts that the instances run with, or null. */
  mutation: string | null;
  /** Whether the database has a small disk, which is full from time to time: see small-disk.ts. */
  smallDisk: boolean;
};

const SHORT = { payments: 300, kills: 10, restarts: 1, users: 20, concurrency: 28 };
const LONG = { payments: 20_000, kills: 300, restarts: 10, users: 200, concurrency: 80 };

/** A killed process is up again after two or three seconds, and then there should be work to disturb. */
const MS_FOR_KILL = 4_000;
const PAYMENTS_A_SECOND = 12;

/** @throws an error that names the values that cannot be used. */
export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      payments: { type: 'string' },
      kills: { type: 'string' },
      restarts: { type: 'string' },
      users: { type: 'string' },
      processes: { type: 'string' },
      seed: { type: 'string' },
      concurrency: { type: 'string' },
      report: { type: 'string' },
      long: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      'imperfect-provider': { type: 'boolean', default: false },
      'small-disk': { type: 'boolean', default: false },
      clocks: { type: 'boolean', default: false },
      backlog: { type: 'boolean', default: false },
      'late-requests': { type: 'boolean', default: false },
      mutation: { type: 'string' },
    },
  });
  const size = values.long ? LONG : SHORT;
  const payments = count('payments', values.payments, size.payments);
  const kills = count('kills', values.kills, size.kills);
  return {
    payments,
    withdraws: Math.round(payments / 4),
    kills,
    restarts: count('restarts', values.restarts, size.restarts),
    users: Math.max(2, count('users', values.users, size.users)),
    processes: Math.max(2, count('processes', values.processes, 2)),
    seed: count('seed', values.seed, Math.floor(Math.random() * 1e9)),
    concurrency: Math.max(1, count('concurrency', values.concurrency, size.concurrency)),
    durationMs: Math.max(10_000, kills * MS_FOR_KILL, (payments / PAYMENTS_A_SECOND) * 1_000),
    reportFile: values.report ?? null,
    keep: values.keep,
    imperfectProvider: values['imperfect-provider'],
    smallDisk: values['small-disk'],
    clocks: values.clocks || values.long,
    backlog: values.backlog || values.long,
    lateRequests: values['late-requests'] || values.long,
    mutation: values.mutation ?? null,
  };
}

function count(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} must be a whole number`);
  return Number(text);
}

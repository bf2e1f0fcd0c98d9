// The command-line options of a run.
import { parseArgs } from 'node:util';
import { wholeNumber } from '../whole-number.ts';

/** The parts of a run, in their order. */
export const STAGES = ['statements', 'demo', 'flows', 'lifecycles', 'changes', 'speed'] as const;
export type Stage = (typeof STAGES)[number];

/** Two commands of a shell: one changes a server of the cluster, and the other changes it back. */
export type Commands = { begin: string; end: string };

export type Options = {
  /** The coordinator's database. It must be empty, because the run creates its tables, and drops them between its stages. */
  url: string;
  stages: readonly Stage[];
  /** Payments of the lifecycles. */
  payments: number;
  /** Payments while the cluster changes. */
  changingPayments: number;
  paymentsPerSecond: number;
  users: number;
  /** The seconds for which the speed of each engine is measured. */
  seconds: number;
  /** Each stops one server and starts it again. */
  outages: Commands[];
  /** It sets the clock of one worker two hours ahead and back. Null leaves that out. */
  clock: Commands | null;
  /** A Markdown file whose section on the cluster receives the table, or null. */
  reportFile: string | null;
  keep: boolean;
};

/** @throws an error that names the options that cannot be used. */
export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      url: { type: 'string' },
      stages: { type: 'string', default: STAGES.join(',') },
      payments: { type: 'string', default: '2000' },
      'changing-payments': { type: 'string', default: '200' },
      'payments-per-second': { type: 'string', default: '2' },
      users: { type: 'string', default: '60' },
      seconds: { type: 'string', default: '60' },
      down: { type: 'string', multiple: true, default: [] },
      up: { type: 'string', multiple: true, default: [] },
      ahead: { type: 'string' },
      back: { type: 'string' },
      report: { type: 'string' },
      keep: { type: 'boolean', default: false },
    },
  });
  const { url, down, up, ahead, back } = values;
  if (url === undefined)
    throw new Error(
      '--url names the coordinator, for example --url postgres://postgres@localhost:5432/ponte',
    );
  if (down.length !== up.length) throw new Error('each --down needs its --up');
  if ((ahead === undefined) !== (back === undefined)) throw new Error('--ahead needs --back');
  return {
    url,
    stages: stagesIn(values.stages),
    payments: wholeNumber('payments', values.payments),
    changingPayments: wholeNumber('changing-payments', values['changing-payments']),
    paymentsPerSecond: wholeNumber('payments-per-second', values['payments-per-second']),
    users: wholeNumber('users', values.users),
    seconds: wholeNumber('seconds', values.seconds),
    outages: down.map((begin, nth) => ({ begin, end: up[nth] ?? '' })),
    clock: ahead === undefined || back === undefined ? null : { begin: ahead, end: back },
    reportFile: values.report ?? null,
    keep: values.keep,
  };
}

function stagesIn(list: string): Stage[] {
  return list.split(',').map((name) => {
    const stage = STAGES.find((one) => one === name);
    if (stage === undefined) throw new Error(`--stages: "${name}" is not one of ${STAGES.join(', ')}`);
    return stage;
  });
}

// The results of a run as Markdown tables, which are also readable on a terminal.
import { loadavg } from 'node:os';
import { machine, markdownTable, seconds } from '../../harness/report.ts';
import type { Finding } from '../audit/audit.ts';
import type { Acknowledged } from './acknowledged.ts';
import type { Failover } from './cluster.ts';
import type { Options } from './options.ts';

export type Round = Failover & {
  /** Acknowledged payments without a row after the promotion. */
  lost: number;
  /** Payments that only the provider had, acknowledged or not. */
  found?: number;
  /** Acknowledged payments that the recovery brought back under their ids. */
  broughtBack?: number;
};

export type Outcome = {
  rounds: Round[];
  acknowledged: Acknowledged[];
  /** Ids of acknowledged payments that have no row at the end. */
  missing: string[];
  repeats: number;
  /** Requests that were refused because a row that they name was lost. */
  refused: string[];
  findings: Finding[];
  violations: string[];
  lastedMs: number;
};

export function tablesOf(options: Options, outcome: Outcome): string {
  const { acknowledged, missing, repeats, refused, findings, lastedMs } = outcome;
  const found = findings.filter(({ violations }) => violations.length > 0);
  return [
    headOf(options, outcome),
    roundsOf(options, outcome),
    markdownTable(
      ['In all', ''],
      [
        ['payments acknowledged', acknowledged.length],
        ['acknowledged per second, outages included', ((acknowledged.length * 1_000) / lastedMs).toFixed(1)],
        ['requests repeated without an answer', repeats],
        ['acknowledged payments without a row at the end', missing.length],
        ['requests refused because a row was lost', refused.length],
        ['comparisons of the auditor', findings.reduce((sum, { checked }) => sum + checked, 0)],
        ['differences that the auditor found', found.reduce((sum, one) => sum + one.violations.length, 0)],
      ],
    ),
    ...(found.length === 0
      ? []
      : [
          markdownTable(
            ['The auditor found', 'number'],
            found.map(({ invariant, violations }) => [invariant, violations.length]),
          ),
        ]),
  ].join('\n\n');
}

const successors: Record<Options['successor'], string> = {
  synchronous: 'a synchronous standby',
  asynchronous: 'an asynchronous standby, at least two seconds behind',
  archive: 'a base backup and the archived log, to the latest moment, to a chosen time and to a gap in turn',
};

function headOf(options: Options, { violations }: Outcome): string {
  const standby = successors[options.successor];
  return (
    `${new Date().toISOString().slice(0, 10)}, ${machine()}, load average ${loadavg()[0]?.toFixed(0)}: ${standby}, ${options.failovers} failovers, ` +
    `${options.paymentsPerSecond} payments a second wanted, ${violations.length} violations.`
  );
}

function roundsOf({ successor }: Options, { rounds, acknowledged }: Outcome): string {
  const mayLose = successor !== 'synchronous';
  const recovered = mayLose ? ['adopted from the provider', 'brought back under their ids'] : [];
  return markdownTable(
    ['Failover', 'promoted after', 'payments accepted again after', 'payments lost', ...recovered],
    rounds.map(({ killedAt, promotedAt, name, lost, found = 0, broughtBack = 0 }, index) => {
      const again = acknowledged.find(({ answeredAt }) => answeredAt > promotedAt)?.answeredAt;
      return [
        name === undefined ? index + 1 : `${index + 1} ${name}`,
        seconds(promotedAt - killedAt),
        again === undefined ? 'never' : seconds(again - killedAt),
        lost,
        ...(mayLose ? [found, broughtBack] : []),
      ];
    }),
  );
}

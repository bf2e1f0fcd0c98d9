// The results as tables, and their section of a document.
import { type Cell, markdownTable, type Section, seconds, writeSection } from '../../harness/report.ts';
import type { Finding } from '../audit/audit.ts';
import type { Counts } from '../stack/counts.ts';
import type { Rest } from '../stack/quiesce.ts';
import type { Ends } from './ends.ts';
import type { ProviderFaults } from './imperfect-provider.ts';
import type { Options } from './options.ts';

export type RunResult = {
  options: Options;
  /** The imperfect provider's rates. Empty for an honest provider. */
  providerFaults: ProviderFaults;
  counts: Counts;
  ends: Ends;
  faults: Record<string, number>;
  rest: Rest;
  findings: Finding[];
  tookMs: number;
};

export function tablesOf(result: RunResult): string {
  const { options, providerFaults, counts, ends, faults, findings, tookMs } = result;
  const violations = findings.reduce((sum, one) => sum + one.violations.length, 0);
  return [
    `Seed ${options.seed}: ${counts.accepted.payments} payments and ${counts.accepted.withdraws} withdrawals of ` +
      `${options.users} people at ${options.processes} instances in ${seconds(tookMs)}, ${violations} violations.`,
    ...tablesOfEnds(ends),
    markdownTable(
      ['Faults injected', 'number'],
      Object.entries(faults).filter(([, count]) => count > 0),
    ),
    ...(options.imperfectProvider
      ? [
          markdownTable(
            [`Imperfect provider, seed ${options.seed}`, 'set to'],
            Object.entries(providerFaults),
          ),
        ]
      : []),
    markdownTable(['What else happened', 'number'], happenings(result)),
    markdownTable(['After the faults', 'time'], durations(result)),
    markdownTable(
      ['Invariant', 'checked', 'violations', 'listed'],
      findings.map(({ invariant, checked, violations: found, listed }) => [
        invariant,
        checked,
        found.length,
        listed.length,
      ]),
    ),
    ...listedIn(findings),
  ].join('\n\n');
}

function tablesOfEnds({ payments, withdraws }: Ends): string[] {
  const states = [...new Set(payments.map(({ state }) => state))];
  const of = (flow: string, state: string): number =>
    payments.find((one) => one.flow === flow && one.state === state)?.count ?? 0;
  return [
    markdownTable(
      ['Payments', 'direct', 'two_hop'],
      states.map((state) => [state, of('direct', state), of('two_hop', state)]),
    ),
    markdownTable(
      ['Withdrawals', 'number'],
      withdraws.map(({ state, count }) => [state, count]),
    ),
  ];
}

const happenings = ({ options, counts, ends, rest }: RunResult): Cell[][] => [
  ['instances killed', counts.kills],
  ['provider killed', counts.sandboxKills],
  ['database stopped immediately', counts.restarts],
  ...counts.engineFaults,
  ...(options.clocks ? [['instances started with a wrong clock', counts.wrongClocks]] : []),
  ...(options.backlog ? [['due rows when all instances came back', counts.backlog]] : []),
  ...(options.imperfectProvider || options.lateRequests
    ? [['requests received more than a minute late', counts.lateRequests]]
    : []),
  ['requests repeated without an answer', counts.repeats],
  ['requests sent several times concurrently', counts.doubles],
  ['failed payouts retried', counts.retries],
  ['failed payouts returned', counts.returns],
  ['recipients looked up', counts.lookUps],
  ['codes read', counts.codes],
  ['names of own accounts checked', counts.nameChecks],
  ['receipts', counts.receipts],
  ['payments contested', counts.contestations],
  ['parts that came back and were converted', counts.parts],
  ['deposits', ends.deposits],
  ['users who joined during the faults', counts.newcomers],
  ['decided by the operator', rest.decisions],
  ...[...counts.refusals].map(([code, count]): Cell[] => [`refused: ${code}`, count]),
];

const durations = ({ rest }: RunResult): Cell[][] => [
  ['all work ended without reconciliation after', seconds(rest.byItselfAfterMs)],
  [
    rest.runs === 1 ? 'reconciliation took' : `${rest.runs} reconciliations took`,
    seconds(rest.reconciledInMs),
  ],
  ['the last refusal was pending for', seconds(rest.heldForMs)],
  ['all work ended after', seconds(rest.restedAfterMs)],
];

const UUIDS = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Counts, by kind, the differences that are not violations because a provider fault explains them or because they were settled. */
function listedIn(findings: Finding[]): string[] {
  const texts = findings.flatMap(({ listed }) => listed.map(({ what }) => what.replaceAll(UUIDS, '…')));
  const counts = Map.groupBy(texts, (what) => what);
  if (texts.length === 0) return [];
  return [
    markdownTable(
      ['Listed, not violations', 'number'],
      [...counts].map(([what, same]) => [what, same.length]),
    ),
  ];
}

const section: Section = {
  heading: 'Chaos',
  begin: '<!-- chaos:begin, written by npm run chaos -- --report -->',
  end: '<!-- chaos:end -->',
};

/** Replaces the last run's tables in the document's section "Chaos". The rest of the document stays. */
export const writeReport = (file: string, tables: string): void => writeSection(file, section, tables);

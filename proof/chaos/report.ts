// The results as Markdown tables, which are also readable on a terminal, and their section of a document.
import type { Finding } from '../audit/audit.ts';
import { type Section, writeSection } from '../report-section.ts';
import type { Counts } from './counts.ts';
import type { Ends } from './ends.ts';
import type { ProviderFaults } from './imperfect-provider.ts';
import type { Options } from './options.ts';
import type { Rest } from './quiesce.ts';

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

export function tablesOf({
  options,
  providerFaults,
  counts,
  ends,
  faults,
  rest,
  findings,
  tookMs,
}: RunResult): string {
  const states = [...new Set(ends.payments.map(({ state }) => state))];
  const of = (flow: string, state: string): number =>
    ends.payments.find((one) => one.flow === flow && one.state === state)?.count ?? 0;
  const violations = findings.reduce((sum, one) => sum + one.violations.length, 0);
  return [
    `Seed ${options.seed}: ${counts.accepted.payments} payments and ${counts.accepted.withdraws} withdrawals of ` +
      `${options.users} people at ${options.processes} instances in ${seconds(tookMs)}, ${violations} violations.`,
    table(
      ['Payments', 'direct', 'two_hop'],
      states.map((state) => [state, of('direct', state), of('two_hop', state)]),
    ),
    table(
      ['Withdrawals', 'number'],
      ends.withdraws.map(({ state, count }) => [state, count]),
    ),
    table(
      ['Faults injected', 'number'],
      Object.entries(faults).filter(([, count]) => count > 0),
    ),
    ...(options.imperfectProvider
      ? [table([`Imperfect provider, seed ${options.seed}`, 'set to'], Object.entries(providerFaults))]
      : []),
    table(
      ['What else happened', 'number'],
      [
        ['instances killed', counts.kills],
        ['provider killed', counts.sandboxKills],
        ['database stopped immediately', counts.restarts],
        ...counts.engineFaults,
        ...(options.clocks ? [['instances started with a wrong clock', counts.wrongClocks] as Cell[]] : []),
        ...(options.backlog ? [['due rows when all instances came back', counts.backlog] as Cell[]] : []),
        ...(options.imperfectProvider || options.lateRequests
          ? [['requests received more than a minute late', counts.lateRequests] as Cell[]]
          : []),
        ['requests repeated without an answer', counts.repeats],
        ['requests sent several times concurrently', counts.doubles],
        ['failed payouts retried', counts.retries],
        ['failed payouts returned', counts.returns],
        ['deposits', ends.deposits],
        ['users who joined during the faults', counts.newcomers],
        ['decided by the operator', rest.decisions],
        ...[...counts.refusals].map(([code, count]): [string, number] => [`refused: ${code}`, count]),
      ],
    ),
    table(
      ['After the faults', 'time'],
      [
        ['all work ended without reconciliation after', seconds(rest.byItselfAfterMs)],
        [
          rest.runs === 1 ? 'reconciliation took' : `${rest.runs} reconciliations took`,
          seconds(rest.reconciledInMs),
        ],
        ['the last refusal was pending for', seconds(rest.heldForMs)],
        ['all work ended after', seconds(rest.restedAfterMs)],
      ],
    ),
    table(
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

const UUIDS = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Counts, by kind, the differences that are not violations because a provider fault explains them or because they were settled. */
function listedIn(findings: Finding[]): string[] {
  const texts = findings.flatMap(({ listed }) => listed.map(({ what }) => what.replaceAll(UUIDS, '…')));
  const counts = Map.groupBy(texts, (what) => what);
  if (texts.length === 0) return [];
  return [
    table(
      ['Listed, not violations', 'number'],
      [...counts].map(([what, same]) => [what, same.length]),
    ),
  ];
}

const seconds = (ms: number | null): string => (ms === null ? 'never' : `${(ms / 1_000).toFixed(1)} s`);

type Cell = string | number;

export function table(head: string[], rows: Cell[][]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => String(row[column]).length)),
  );
  const line = (cells: Cell[]): string =>
    `| ${cells.map((cell, at) => (at === 0 ? String(cell).padEnd(widths[at] ?? 0) : String(cell).padStart(widths[at] ?? 0))).join(' | ')} |`;
  const rule = `| ${widths.map((width, at) => (at === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}

const section: Section = {
  heading: 'Chaos',
  begin: '<!-- chaos:begin, written by npm run chaos -- --report -->',
  end: '<!-- chaos:end -->',
};

/** Replaces the last run's tables in the document's section "Chaos". The rest of the document stays. */
export const writeReport = (file: string, tables: string): void => writeSection(file, section, tables);

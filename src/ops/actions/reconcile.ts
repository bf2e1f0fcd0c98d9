// A reconciliation by hand: everything unfinished is compared with the provider, as every night.
import { auditOperator } from '../../audit/operator.ts';
import { type ReconcileReport, reconcile } from '../../nightly/reconcile-by-hand.ts';
import { runInBackground } from '../../provider/call-priority.ts';
import { type Call, OpsFailure, UsageError } from '../command.ts';
import { oneLine } from '../format.ts';
import type { Output } from '../output.ts';
import { table } from '../table.ts';

const RUN_LONGEST = 60;

export async function run({ app, out, options, operator, reason, signal }: Call): Promise<void> {
  const now = app.clock.now();
  const name = String(options['run'] ?? `by-hand-${now.toISOString().slice(0, 19)}Z`);
  if (name.length > RUN_LONGEST)
    throw new UsageError(`--run may have ${RUN_LONGEST} characters at most.`, 'reconcile');
  const record = { operator, reason, action: 'reconcile', target: name, userId: null, now };
  await auditOperator(app.db, record);
  const report = await runInBackground(() =>
    reconcile(app, {
      run: name,
      signal,
      onProgress: ({ stage, counts }) => out.progress(`${stage}: ${sums(counts)}`),
    }),
  );
  if (out.isJson) out.json(report);
  else printReport(out, report);
  if (!report.isFinished)
    throw new OpsFailure(`Broken off. It goes on where it stopped with: reconcile --run ${name}`);
  if (report.failures.length > 0)
    throw new OpsFailure('Not everything could be looked at. The next run tries it again.');
}

function printReport({ print, style }: Output, report: ReconcileReport): void {
  print(`${style.bold(`Reconciliation ${report.run}`)}: ${sums(report.counts)}`);
  const { waiting, openDiscrepancies, orphans, failures } = report;
  const left: [string, number][] = [
    ['payments in manual_review, not acknowledged (see payments)', waiting.manualReview],
    ['payments in payout_failed (see payments)', waiting.payoutFailed],
    ['effects exhausted (see effects)', waiting.exhaustedEffects],
    ['discrepancies open (see discrepancies)', openDiscrepancies],
    ['things at the provider without a row here (see adopt)', orphans.length],
  ];
  const lines = table(
    [
      { title: 'left', of: ([, number]) => String(number), isFigure: true },
      { title: 'what', of: ([what]) => what },
    ],
    left.filter(([, number]) => number > 0),
    style,
  );
  if (lines.length > 1) for (const line of lines) print(`  ${line}`);
  for (const { stage, id, error } of failures)
    print(style.red(oneLine(`  not looked at: ${stage} ${id}: ${error}`)));
}

const sums = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([what, number]) => `${number} ${what}`)
    .join(', ') || 'nothing yet';

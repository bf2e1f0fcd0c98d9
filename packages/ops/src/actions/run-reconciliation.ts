// Runs the nightly reconciliation now: it compares all unfinished rows with the provider.
import { type ReconcileReport, reconcile } from '../../../../src/jobs/reconcile-by-hand.ts';
import { auditOperator } from '../../../../src/platform/security/audit-operator.ts';
import { runInBackground } from '../../../../src/provider/call-priority.ts';
import { type CommandCall, type CommandSpec, OpsFailure } from '../command.ts';
import { countsText, oneLine } from '../format.ts';
import type { Output } from '../output.ts';
import { runNameOf, runOptions } from '../run-nightly-job.ts';
import { table } from '../table.ts';

export const reconciliationRunCommand: CommandSpec = {
  name: 'reconciliation run',
  summary: 'compare everything unfinished with the provider now, as every night',
  options: runOptions,
  run,
};

async function run({ app, out, options, operator, reason, signal }: CommandCall): Promise<void> {
  const now = app.clock.now();
  const name = runNameOf(options['name'], now);
  const record = { operator, reason, action: 'reconciliation run', target: name, userId: null, now };
  await auditOperator(app.db, record);
  const report = await runInBackground(() =>
    reconcile(app, {
      run: name,
      signal,
      onProgress: ({ stage, counts }) => out.progress(`${stage}: ${countsText(counts)}`),
    }),
  );
  if (out.isJson) out.json(report);
  else printReport(out, report);
  if (!report.isFinished) throw new OpsFailure(`Interrupted. To continue: reconciliation run --name ${name}`);
  if (report.failures.length > 0)
    throw new OpsFailure('Not everything could be reconciled. The next run tries the rest again.');
}

function printReport({ print, style }: Output, report: ReconcileReport): void {
  print(`${style.bold(`Reconciliation ${report.run}`)}: ${countsText(report.counts)}`);
  const { waiting, openDiscrepancies, orphans, failures } = report;
  const remaining: [string, number][] = [
    ['payments in manual_review, not acknowledged (see payments)', waiting.manualReview],
    ['payments in payout_failed (see payments)', waiting.payoutFailed],
    ['effects exhausted (see effects)', waiting.exhaustedEffects],
    ['discrepancies open (see discrepancies)', openDiscrepancies],
    ['resources of the provider without a row here (see recovery list)', orphans.length],
  ];
  const lines = table(
    [
      { title: 'how many', of: ([, number]) => String(number), alignRight: true },
      { title: 'what', of: ([what]) => what },
    ],
    remaining.filter(([, number]) => number > 0),
    style,
  );
  if (lines.length > 1) for (const line of lines) print(`  ${line}`);
  for (const { stage, id, error } of failures)
    print(style.red(oneLine(`  not reconciled: ${stage} ${id}: ${error}`)));
}

// Runs nightly jobs now: the reconciliation, the erasure, and the removal of payloads. Each shows its progress, and an interrupted run
// can be resumed by its name.
import { validate as isUuid } from 'uuid';
import type { JobName } from '../../src/jobs/jobs.ts';
import { type ReconcileReport, reconcile } from '../../src/jobs/reconcile-by-hand.ts';
import { runJob, type WorkOptions } from '../../src/jobs/run-by-hand.ts';
import { eraseUser } from '../../src/privacy/erase-user.ts';
import { unattended } from '../../src/provider/caller.ts';
import { servicesFor } from '../../src/start/app.ts';
import { audit } from '../action.ts';
import {
  type CommandCall,
  type CommandSpec,
  OpsFailure,
  type OptionSpec,
  UsageError,
  valuesOf,
} from '../command.ts';
import { countsText, oneLine } from '../format.ts';
import type { Output } from '../output.ts';
import { table } from '../table.ts';

const runOptions: Record<string, OptionSpec> = {
  name: { placeholder: '<run>', summary: 'a name for the run; an unfinished run of that name continues' },
};

export const payloadsPurgeCommand: CommandSpec = {
  name: 'payloads purge',
  summary: 'remove the payloads of callbacks that are 90 days old, as every night',
  options: runOptions,
  run: (call) => runNightlyJob(call, 'purge-payloads'),
};

/** Erases users who closed their account six years ago. `--force` also erases due users whose money was settled elsewhere. */
export const erasureRunCommand: CommandSpec = {
  name: 'erasure run',
  summary: 'erase users who closed their account six years ago, as every night',
  options: {
    ...runOptions,
    force: {
      placeholder: '<userId,...>',
      summary: 'also these users, without asking for their balances: the money was settled elsewhere',
    },
  },
  run: async (call) => {
    const forced = valuesOf(call.options['force']);
    const invalid = forced.find((id) => !isUuid(id));
    if (invalid !== undefined) throw new UsageError(`"${invalid}" is not the id of a user.`);
    for (const id of forced) await eraseForced(call, id.toLowerCase());
    await runNightlyJob(call, 'erase-due');
  },
};

async function eraseForced(call: CommandCall, userId: string): Promise<void> {
  await audit(call.app.db, call, { target: userId, userId });
  const cause = { kind: 'operator', id: call.operator } as const;
  const outcome = await eraseUser(servicesFor(call.app, unattended), userId, cause, { isSettled: true });
  if (outcome !== 'erased') throw new OpsFailure(`User ${userId} is not due, or is erased already.`);
}

/** @throws OpsFailure if the run was interrupted or had failures. */
async function runNightlyJob(call: CommandCall, job: JobName): Promise<void> {
  const { app, out } = call;
  const options = await beginRun(call);
  const { run, counters } = await runJob(servicesFor(app, unattended), job, options);
  const isFinished = run.finishedAt !== null;
  const { failures, skipped } = counters;
  if (out.isJson) out.json({ run: options.run, isFinished, counts: run.counts, failures, left: skipped });
  else {
    out.print(`${out.style.bold(options.run)}: ${countsText(run.counts)}`);
    for (const { id, why } of skipped) out.print(`  left: ${id}: ${why}`);
    for (const { id, error } of failures) out.print(out.style.red(oneLine(`  not done: ${id}: ${error}`)));
  }
  if (!isFinished) throw interrupted(call, options);
  if (failures.length > 0)
    throw new OpsFailure('Not everything could be done. The next run tries the rest again.');
}

const NAME_MAX_LENGTH = 60;

/**
 * Audits a run. Its name is the option's value, or is made of the current time.
 * @throws UsageError if the name is too long.
 */
async function beginRun(call: CommandCall): Promise<Required<WorkOptions>> {
  const { app, out, options, signal } = call;
  const run = String(options['name'] ?? `by-hand-${app.clock.now().toISOString().slice(0, 19)}Z`);
  if (run.length > NAME_MAX_LENGTH)
    throw new UsageError(`--name may have ${NAME_MAX_LENGTH} characters at most.`);
  await audit(app.db, call, { target: run, userId: null });
  return { run, signal, onProgress: ({ stage, counts }) => out.progress(`${stage}: ${countsText(counts)}`) };
}

const interrupted = ({ name }: CommandCall, { run }: Required<WorkOptions>): OpsFailure =>
  new OpsFailure(`Interrupted. To continue: ${name} --name ${run}`);

export const reconciliationRunCommand: CommandSpec = {
  name: 'reconciliation run',
  summary: 'compare everything unfinished with the provider now, as every night',
  options: runOptions,
  run: async (call) => {
    const { app, out } = call;
    const options = await beginRun(call);
    const report = await reconcile(servicesFor(app, unattended), options);
    if (out.isJson) out.json(report);
    else printReport(out, report);
    if (!report.isFinished) throw interrupted(call, options);
    if (report.failures.length > 0)
      throw new OpsFailure('Not everything could be reconciled. The next run tries the rest again.');
  },
};

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
  const present = remaining.filter(([, number]) => number > 0);
  const lines = table(style, present, [
    { title: 'how many', of: ([, number]) => String(number), alignRight: true },
    { title: 'what', of: ([what]) => what },
  ]);
  for (const line of lines) print(`  ${line}`);
  for (const { stage, id, error } of failures)
    print(style.red(oneLine(`  not reconciled: ${stage} ${id}: ${error}`)));
}

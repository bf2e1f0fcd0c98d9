// Runs a nightly job by hand: with progress, resumable under its name, and with what is left at its end.
import { auditOperator } from '../../audit/operator.ts';
import type { JobName } from '../../nightly/jobs.ts';
import { runJob } from '../../nightly/run-by-hand.ts';
import { runInBackground } from '../../provider/call-priority.ts';
import { type Call, OpsFailure, UsageError } from '../command.ts';
import { oneLine } from '../format.ts';

const RUN_LONGEST = 60;

export async function runJobByHand(call: Call, job: JobName): Promise<void> {
  const { app, out, options, operator, reason, signal } = call;
  const now = app.clock.now();
  const name = String(options['run'] ?? `by-hand-${now.toISOString().slice(0, 19)}Z`);
  if (name.length > RUN_LONGEST)
    throw new UsageError(`--run may have ${RUN_LONGEST} characters at most.`, job);
  await auditOperator(app.db, { operator, reason, action: job, target: name, userId: null, now });
  const { run, seen } = await runInBackground(() =>
    runJob(app, job, {
      run: name,
      signal,
      onProgress: ({ stage, counts }) => out.progress(`${stage}: ${sums(counts)}`),
    }),
  );
  const isFinished = run.finished_at !== null;
  const { failures, skipped } = seen;
  if (out.isJson) out.json({ run: name, isFinished, counts: run.counts, failures, left: skipped });
  else {
    out.print(`${out.style.bold(name)}: ${sums(run.counts)}`);
    for (const { id, why } of skipped) out.print(`  left: ${id}: ${why}`);
    for (const { id, error } of failures) out.print(out.style.red(oneLine(`  not done: ${id}: ${error}`)));
  }
  if (!isFinished) throw new OpsFailure(`Broken off. It goes on where it stopped with: ${job} --run ${name}`);
  if (failures.length > 0) throw new OpsFailure('Not everything could be done. The next run tries it again.');
}

const sums = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([what, number]) => `${number} ${what}`)
    .join(', ') || 'nothing to do';

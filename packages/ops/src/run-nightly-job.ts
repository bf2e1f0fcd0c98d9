// Runs a nightly job now. It shows progress, lists the rows that it skipped, and an interrupted run can be resumed by its name.

import type { JobName } from '../../../src/jobs/jobs.ts';
import { runJob } from '../../../src/jobs/run-by-hand.ts';
import { auditOperator } from '../../../src/platform/security/audit-operator.ts';
import { runInBackground } from '../../../src/provider/call-priority.ts';
import { type CommandCall, OpsFailure, type OptionSpec, type OptionValue, UsageError } from './command.ts';
import { countsText, oneLine } from './format.ts';

/** The options of nightly jobs that are run by hand. */
export const runOptions: Record<string, OptionSpec> = {
  name: { placeholder: '<run>', summary: 'a name for the run; an unfinished run of that name continues' },
};

const NAME_MAX_LENGTH = 60;

/**
 * Runs a nightly job.
 * @param command the command's name, for the audit record.
 * @throws OpsFailure if the run was interrupted or had failures.
 */
export async function runNightlyJob(
  { app, out, options, operator, reason, signal }: CommandCall,
  { job, command }: { job: JobName; command: string },
): Promise<void> {
  const now = app.clock.now();
  const name = runNameOf(options['name'], now);
  await auditOperator(app.db, { operator, reason, action: command, target: name, userId: null, now });
  const { run, seen } = await runInBackground(() =>
    runJob(app, job, {
      run: name,
      signal,
      onProgress: ({ stage, counts }) => out.progress(`${stage}: ${countsText(counts)}`),
    }),
  );
  const isFinished = run.finishedAt !== null;
  const { failures, skipped } = seen;
  if (out.isJson) out.json({ run: name, isFinished, counts: run.counts, failures, left: skipped });
  else {
    out.print(`${out.style.bold(name)}: ${countsText(run.counts)}`);
    for (const { id, why } of skipped) out.print(`  left: ${id}: ${why}`);
    for (const { id, error } of failures) out.print(out.style.red(oneLine(`  not done: ${id}: ${error}`)));
  }
  if (!isFinished) throw new OpsFailure(`Interrupted. To continue: ${command} --name ${name}`);
  if (failures.length > 0)
    throw new OpsFailure('Not everything could be done. The next run tries the rest again.');
}

/**
 * Returns the name of a run: the option's value, or a name made of the current time.
 * @throws UsageError if the name is too long.
 */
export function runNameOf(option: OptionValue, now: Date): string {
  const name = String(option ?? `by-hand-${now.toISOString().slice(0, 19)}Z`);
  if (name.length > NAME_MAX_LENGTH)
    throw new UsageError(`--name may have ${NAME_MAX_LENGTH} characters at most.`);
  return name;
}

// Actions of operators and nightly jobs in a flow: a reconciliation, the return of a payment's money, and a rotation of the
// webhook secret.
import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { until } from '../../harness/people/until.ts';
import type { CrashEnvironment } from './environment.ts';
import type { Person } from './person.ts';

const PATIENCE_MS = 180_000;

/** Lets the service run the nightly reconciliation now. Resolves when the run has ended. */
export async function reconciled({ database }: CrashEnvironment): Promise<void> {
  const run = `by hand ${randomUUID()}`;
  await database.query(
    `insert into job_runs (job, run, position, counts, updated_at, due_at)
     values ('reconcile', $1, '{"stage": 0, "page": {"after": null}}', '{}', now(), now())`,
    [run],
  );
  await until(
    async () =>
      (await database.query('select 1 from job_runs where run = $1 and finished_at is not null', [run]))
        .rowCount,
    (ended) => ended === 1,
    PATIENCE_MS,
  );
}

/** Makes a withdrawal that the provider completes, and that no poll will find for a day. */
export async function settleUnseen({ ponte, environment }: Person): Promise<void> {
  const { id } = await ponte.withdraw(2_500);
  const snapshotOf = `from provider_resources where subject_id = $1 and provider_ref is not null and snapshot_updated_at is not null`;
  await until(
    async () => (await environment.database.query(`select 1 ${snapshotOf}`, [id])).rowCount,
    (count) => count === 1,
    PATIENCE_MS,
  );
  const { rows } = await environment.database.query<{ ref: string }>(
    `update provider_resources set next_poll_at = now() + interval '1 day' where subject_id = $1
     returning provider_ref as ref`,
    [id],
  );
  const payout = environment.books.prepare('select status from payouts where uuid = ?');
  await until(
    async () => payout.get(rows[0]?.ref ?? ''),
    (row) => row?.['status'] === 'COMPLETED',
    PATIENCE_MS,
  );
}

/**
 * Returns the money of a failed payout, as if everything had happened more than a day ago. By then, work that a killed process left
 * would have ended, so this waits until it has.
 */
export async function returnMoney({ database, service }: CrashEnvironment, id: string): Promise<void> {
  await until(
    async () =>
      (await database.query(`select 1 from effects where subject_id = $1 and status = 'queued'`, [id]))
        .rowCount,
    (queued) => queued === 0,
    PATIENCE_MS,
  );
  const aDay = `interval '25 hours'`;
  await database.query(
    `with requested as (update effects set last_unknown_at = last_unknown_at - ${aDay} where subject_id = $1),
       recorded as (update transitions set recorded_at = recorded_at - ${aDay} where subject_id = $1)
     update pix_payments set state_entered_at = state_entered_at - ${aDay} where id = $1`,
    [id],
  );
  const command = ['payments', 'return', id, '--subsidy-cap-bps', '1000'];
  await service.operate('return', [...command, '--operator', 'crash-points', '--reason', 'a dead key']);
}

/** Follows the runbook: moves the secret, configures it, restarts the service, and runs the command once more. */
export async function rotateWebhookSecret({ service }: CrashEnvironment): Promise<void> {
  const file = join(tmpdir(), `ponte-crash-secret-${randomUUID()}.env`);
  const reason = ['--operator', 'crash-points', '--reason', 'a rotation'];
  const rotate = (name: string): Promise<void> =>
    service.operate(name, ['webhook-secret', 'rotate', '--file', file, ...reason]);
  await rotate('rotation');
  await service.renew(parseEnv(readFileSync(file, 'utf8')));
  await rotate('end of the rotation');
  rmSync(file);
}

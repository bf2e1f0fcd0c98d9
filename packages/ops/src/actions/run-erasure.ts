// Runs the nightly erasure now, of users who closed their account six years ago. `--force` also erases due users whose money was
// settled elsewhere.
import { validate as isUuid } from 'uuid';
import type { Clock } from '../../../../src/domain/clock.ts';
import type { Db } from '../../../../src/platform/database/orm.ts';
import { auditOperator } from '../../../../src/platform/security/audit-operator.ts';
import { erasePerson } from '../../../../src/privacy/erase-person.ts';
import type { Provider } from '../../../../src/provider/port.ts';
import { type CommandCall, type CommandSpec, OpsFailure, UsageError, valuesOf } from '../command.ts';
import { runNightlyJob, runOptions } from '../run-nightly-job.ts';

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
  run,
};

const COMMAND = 'erasure run';

async function run(call: CommandCall): Promise<void> {
  const forced = valuesOf(call.options['force']);
  const invalid = forced.find((id) => !isUuid(id));
  if (invalid !== undefined) throw new UsageError(`"${invalid}" is not the id of a user.`);
  for (const id of forced) await eraseForced(call.app, id.toLowerCase(), call);
  await runNightlyJob(call, { job: 'erase-due', command: COMMAND });
}

async function eraseForced(
  services: { db: Db; erasureDb: Db; provider: Provider; clock: Clock },
  userId: string,
  { operator, reason }: CommandCall,
): Promise<void> {
  const by = { operator, reason, action: COMMAND, target: userId, userId, now: services.clock.now() };
  await auditOperator(services.db, by);
  const outcome = await erasePerson(
    services,
    userId,
    { kind: 'operator', id: operator },
    { isSettled: true },
  );
  if (outcome !== 'erased') throw new OpsFailure(`User ${userId} is not due, or is erased already.`);
}

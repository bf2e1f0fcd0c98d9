// Erases those whose six years are over now, as every night; also those whose money somebody has settled elsewhere.
import { validate as isUuid } from 'uuid';
import type { App } from '../../app.ts';
import { auditOperator } from '../../audit/operator.ts';
import { erasePerson } from '../../privacy/erase-person.ts';
import { type Call, listed, OpsFailure, UsageError } from '../command.ts';
import { runJobByHand } from './work-by-hand.ts';

export async function run(call: Call): Promise<void> {
  const settled = listed(call.options['settled']);
  const stray = settled.find((id) => !isUuid(id));
  if (stray !== undefined) throw new UsageError(`"${stray}" is no id of a user.`, 'erase-due');
  for (const id of settled) await eraseSettled(call.app, id.toLowerCase(), call);
  await runJobByHand(call, 'erase-due');
}

async function eraseSettled(app: App, userId: string, { operator, reason }: Call): Promise<void> {
  const by = { operator, reason, action: 'erase-due', target: userId, userId, now: app.clock.now() };
  await auditOperator(app.db, by);
  const outcome = await erasePerson(app, userId, { kind: 'operator', id: operator }, { isSettled: true });
  if (outcome !== 'erased') throw new OpsFailure(`${userId} is not due, or is erased already.`);
}

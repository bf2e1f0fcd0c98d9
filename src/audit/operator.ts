// Records the changes that operators make, when they make them.
import { userInfo } from 'node:os';
import type { Db } from '../tables/orm.ts';
import { insertEntries } from './entry.ts';

export type By = { operator: string; reason: string };

/**
 * The details that are recorded of an operator's change. The database adds `databaseUser`, the login of its session. If operators have
 * logins of their own, it takes `operator` from the login as well. `systemUser` is the user of the operating system.
 */
export type OperatorsRecord = By & { target: string; systemUser: string };

/**
 * Records an operator's change. Run it as the last statement of the transaction that makes the change, because it locks the audit
 * log against other writers until the commit.
 * @param action the command's name.
 * @param userId the user whose data changes, or null.
 */
export async function auditOperator(
  tx: Db,
  {
    action,
    userId,
    now,
    ...details
  }: By & { target: string } & { action: string; userId: string | null; now: Date },
): Promise<void> {
  const record: OperatorsRecord = { ...details, systemUser: systemUser() };
  const entry = { at: now, action: `operator.${action}`, userId, requestId: null, details: record };
  await insertEntries(tx, [entry]);
}

/** Returns the name of the user that runs this process, or its number if the system has no name for it, as in a container. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}

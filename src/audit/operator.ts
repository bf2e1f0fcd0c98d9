// Records the changes that operators make, when they make them.
import { userInfo } from 'node:os';
import { findDatabaseUser } from '../tables/audit-events/statements.ts';
import type { Db } from '../tables/orm.ts';
import { insertEntries } from './entry.ts';

export type By = { operator: string; reason: string };

/**
 * The details that are recorded of an operator's change. The operator's name is what the caller says. The user of the database's
 * session and the user of the operating system are what their logins prove.
 */
export type OperatorsRecord = By & { target: string; databaseUser: string; systemUser: string };

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
  const databaseUser = (await findDatabaseUser(tx, {}))?.databaseUser ?? 'unknown';
  const record: OperatorsRecord = { ...details, databaseUser, systemUser: systemUser() };
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

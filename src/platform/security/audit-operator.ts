// Records the changes that operators make, when they make them.

import type { Db } from '../database/orm.ts';
import { insertEntries } from './audit-entry.ts';

/** The operator who makes a change, and the reason for it. */
export type By = { operator: string; reason: string };

/** The details that are recorded of an operator's change. */
export type OperatorsRecord = By & { target: string };

/**
 * Records an operator's change. Run it as the last statement of the transaction that makes the change, because it locks the audit
 * log against other writers until the commit.
 * @param action the command's name.
 * @param userId the user whose data changes, or null.
 */
export async function auditOperator(
  tx: Db,
  { action, userId, now, ...details }: OperatorsRecord & { action: string; userId: string | null; now: Date },
): Promise<void> {
  const entry = { at: now, action: `operator.${action}`, userId, requestId: null, details };
  await insertEntries(tx, [entry]);
}

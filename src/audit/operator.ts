// Operators' changes are recorded when they happen, so that they can be accounted for later.

import type { Db } from '../database/orm.ts';
import { insertEntries } from './entry.ts';

/** Who changes something, and why. */
export type By = { operator: string; reason: string };

/** What is kept of an operator's change. */
export type OperatorsRecord = By & { target: string };

/**
 * Records an operator's change, in the transaction that makes it and as its last statement: until the commit the record
 * is locked against other writers.
 * @param action the command's name.
 * @param userId of the user whose data it is, where there is one.
 */
export async function auditOperator(
  tx: Db,
  { action, userId, now, ...details }: OperatorsRecord & { action: string; userId: string | null; now: Date },
): Promise<void> {
  const entry = { at: now, action: `operator.${action}`, userId, requestId: null, details };
  await insertEntries(tx, [entry]);
}

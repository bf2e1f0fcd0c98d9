// What must be answerable later is written down when it happens.

import type { Db } from '../database/orm.ts';
import { insertEntries } from './entry.ts';

/** Who changes something, and why. */
export type By = { operator: string; reason: string };

/** What is kept of an operator's change. */
export type OperatorsRecord = By & { target: string };

/**
 * Records what an operator changes, in the transaction that changes it, and as the last thing in it: until the commit
 * nobody else can write to the record.
 * @param action what is done, as the command is called.
 * @param userId whose it is, where it is somebody's.
 */
export async function auditOperator(
  tx: Db,
  { action, userId, now, ...details }: OperatorsRecord & { action: string; userId: string | null; now: Date },
): Promise<void> {
  const entry = { at: now, action: `operator.${action}`, userId, requestId: null, details };
  await insertEntries(tx, [entry]);
}

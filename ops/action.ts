// The parts that actions share: the commit of a change, its audit row, and its result.

import { auditOperator } from '../src/audit/operator.ts';
import { type EnqueuingTx, transaction } from '../src/outbox/hand-off.ts';
import type { Db } from '../src/tables/orm.ts';
import type { ActionResult, CommandCall, SupportApp } from './command.ts';

export const changed = (sentence: string): ActionResult => ({ changed: true, sentence });
export const unchanged = (sentence: string): ActionResult => ({ changed: false, sentence });

/** Returns an action that makes its change in one database transaction. A failure of the command rolls it back. */
export const inOneCommit =
  (change: (tx: EnqueuingTx, call: CommandCall) => Promise<ActionResult>) =>
  (call: CommandCall): Promise<ActionResult> =>
    transaction(call.app, (tx) => change(tx, call));

/**
 * Records the call of an action. Run it as the last statement of the transaction that makes the change.
 * @param entry the row that changes, and its user. `action` and `reason` replace the command's name and the operator's reason.
 */
export const audit = (
  tx: Db,
  { app, name, operator, reason }: CommandCall<SupportApp>,
  entry: { target: string; userId: string | null; action?: string; reason?: string },
): Promise<void> => auditOperator(tx, { operator, reason, action: name, now: app.clock.now(), ...entry });

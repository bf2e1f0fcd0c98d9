// Checks by our own rows that nothing is about to move the money of a payment. Returns and settlements require it.

import { LONGEST_IN_FLIGHT_MS } from '../src/effects/in-flight.ts';
import { isMoneyDisputed } from '../src/effects/payout-money.ts';
import { DatabaseTime } from '../src/platform/database/database-time.ts';
import { CAME_BACK } from '../src/reports/vanished.ts';
import { findUnknownWrite } from '../src/tables/effects/statements.ts';
import type { Db } from '../src/tables/orm.ts';
import { findPendingObject } from '../src/tables/provider-resources/statements.ts';
import { OpsFailure } from './command.ts';

export const blocked = (why: string): OpsFailure => new OpsFailure(`Nothing was changed: ${why}.`);

/** @throws OpsFailure if the payment's money must not be moved or settled now, by our own rows. */
export async function assertUnblocked(db: Db, { id, userId }: { id: string; userId: string }): Promise<void> {
  if (await isMoneyDisputed(db, { id, userId })) throw blocked('a discrepancy is open: see discrepancies');
  const since = (await DatabaseTime.read(db)).plus(-LONGEST_IN_FLIGHT_MS);
  const unknown = await findUnknownWrite(db, { subjectId: id, userId, since });
  if (unknown) throw blocked(`the outcome of the effect ${unknown.id} is not known yet`);
  const pending = await findPendingObject(db, { subjectId: id, userId, resolution: CAME_BACK });
  if (pending) throw blocked(`the ${pending.leg ?? pending.kind} is pending at the provider`);
}

// The handles under which unfinished payments and withdrawals may have objects at the provider, with or without a row of them.
import type { Db } from '../database/orm.ts';
import { type HandlePurpose, handleFor } from '../domain/handles.ts';
import { listUnfinishedOrders } from '../sql/pix-payments.ts';

const purposes: HandlePurpose[] = [
  'conversion-direct',
  'conversion-leg1',
  'conversion-leg2',
  'conversion-reverse',
  'payout',
  'withdraw',
];

/** Handles of rows that are merely behind: their effects will find them by look-up. */
export async function handlesOfUnfinished(db: Db, userIds: string[]): Promise<Set<string>> {
  if (userIds.length === 0) return new Set();
  const rows = await listUnfinishedOrders(db, { userIds });
  return new Set(rows.flatMap(({ id }) => handlesOf(id)).map(([handle]) => handle));
}

/** @param id of a payment or a withdrawal. */
export const handlesOf = (id: string): [handle: string, id: string][] =>
  purposes.map((purpose) => [handleFor(id, purpose), id]);

// Derives the handles under which unfinished payments and withdrawals may have objects at the provider, even
// if we have no row of the object.

import { type HandlePurpose, handleFor } from '../../domain/handles.ts';
import type { Db } from '../../tables/orm.ts';
import { listUnfinishedOrders } from '../../tables/pix-payments/statements.ts';

const purposes: HandlePurpose[] = [
  'conversion-direct',
  'conversion-leg1',
  'conversion-leg2',
  'conversion-reverse',
  'conversion-return',
  'payout',
  'withdraw',
];

/**
 * Returns the handles of the users' unfinished payments and withdrawals. If the provider has such an object and we do not, our row
 * is only behind: its effect will find the object by look-up.
 */
export async function handlesOfUnfinished(db: Db, userIds: string[]): Promise<Set<string>> {
  if (userIds.length === 0) return new Set();
  const rows = await listUnfinishedOrders(db, { userIds });
  return new Set(rows.flatMap(({ id }) => handlesOf(id)).map(([handle]) => handle));
}

/** Returns every handle of a payment or withdrawal, with its id. @param id the id of the payment or withdrawal. */
export const handlesOf = (id: string): [handle: string, id: string][] =>
  purposes.map((purpose) => [handleFor(id, purpose), id]);

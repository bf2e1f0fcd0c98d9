// Derives the handles under which unfinished payments, withdrawals and partial returns may have objects at the provider, even if we have
// no row of the object.

import { type HandlePurpose, handleFor } from '../../domain/handles.ts';
import { conversionHandle } from '../../lifecycle/payout-refund.ts';
import type { Db } from '../../tables/orm.ts';
import { listUnconvertedRefunds } from '../../tables/payout-refunds/statements.ts';
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
 * Returns the handles of the users' unfinished payments, withdrawals and partial returns. If the provider has such an object and we do
 * not, our row is only behind: its effect will find the object by look-up.
 */
export async function handlesOfUnfinished(db: Db, userIds: string[]): Promise<Set<string>> {
  if (userIds.length === 0) return new Set();
  const rows = await listUnfinishedOrders(db, { userIds });
  const parts = await listUnconvertedRefunds(db, { userIds });
  const nextOf = ({ movementRef, attempt }: (typeof parts)[number]): string[] =>
    [attempt, attempt + 1].map((one) => conversionHandle({ movementRef, attempt: one }));
  return new Set([
    ...rows.flatMap(({ id }) => handlesOf(id)).map(([handle]) => handle),
    ...parts.flatMap(nextOf),
  ]);
}

/** Returns every handle of a payment or withdrawal, with its id. @param id the id of the payment or withdrawal. */
export const handlesOf = (id: string): [handle: string, id: string][] =>
  purposes.map((purpose) => [handleFor(id, purpose), id]);

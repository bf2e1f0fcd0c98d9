// Resolves a discrepancy, or a finding about an unreadable list item, at an operator's request. The reason is stored with it.

import type { Clock } from '../../../../src/domain/clock.ts';
import { auditOperator, type By } from '../../../../src/platform/audit/operator.ts';
import { inDbTransaction } from '../../../../src/platform/database/db-transaction.ts';
import type { Db } from '../../../../src/platform/database/orm.ts';
import { lockDiscrepancyById, resolveDiscrepancyById } from '../../../../src/platform/sql/discrepancies.ts';
import { lockFindingById, resolveFindingById } from '../../../../src/platform/sql/list-findings.ts';

export function resolveDiscrepancy(
  { db, clock }: { db: Db; clock: Clock },
  id: string,
  by: By,
): Promise<'resolved' | 'resolved_before' | 'not_found'> {
  const now = clock.now();
  return inDbTransaction(db, async (tx) => {
    const found = await lock(tx, id);
    if (!found) return 'not_found';
    if (found.resolvedAt !== null) return 'resolved_before';
    await found.resolve(tx, { id, resolvedAt: now, resolution: by.reason });
    await auditOperator(tx, {
      ...by,
      action: 'discrepancies resolve',
      target: id,
      userId: found.userId,
      now,
    });
    return 'resolved';
  });
}

type Resolvable = { userId: string | null; resolvedAt: Date | null; resolve: typeof resolveDiscrepancyById };

async function lock(tx: Db, id: string): Promise<Resolvable | null> {
  const discrepancy = await lockDiscrepancyById(tx, { id });
  if (discrepancy) return { ...discrepancy, resolve: resolveDiscrepancyById };
  const finding = await lockFindingById(tx, { id });
  // A finding has no user.
  return finding ? { ...finding, userId: null, resolve: resolveFindingById } : null;
}

// An operator resolves a discrepancy; the reason is kept with it.
import type { App } from '../../app.ts';
import { auditOperator, type By } from '../../audit/operator.ts';
import { inTransaction } from '../../database/transaction.ts';

export function resolveDiscrepancy(
  app: App,
  id: string,
  by: By,
): Promise<'resolved' | 'resolved_before' | 'not_found'> {
  const now = app.clock.now();
  return inTransaction(app.db, async (tx) => {
    const found = await tx
      .selectFrom('discrepancies')
      .select(['user_id', 'resolved_at'])
      .where('id', '=', id)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (!found) return 'not_found';
    if (found.resolved_at !== null) return 'resolved_before';
    await tx
      .updateTable('discrepancies')
      .set({ resolved_at: now, resolution: by.reason })
      .where('id', '=', id)
      .execute();
    await auditOperator(tx, {
      ...by,
      action: 'discrepancies resolve',
      target: id,
      userId: found.user_id,
      now,
    });
    return 'resolved';
  });
}

// An operator resolves a discrepancy, or closes what cannot be read in a list; the reason is kept with it.
import { sql } from 'kysely';
import type { App } from '../../app.ts';
import { auditOperator, type By } from '../../audit/operator.ts';
import type { Db } from '../../database/orm.ts';
import { inTransaction } from '../../database/transaction.ts';

export function resolveDiscrepancy(
  app: App,
  id: string,
  by: By,
): Promise<'resolved' | 'resolved_before' | 'not_found'> {
  const now = app.clock.now();
  return inTransaction(app.db, async (tx) => {
    const found = (await lockDiscrepancy(tx, id)) ?? (await lockFinding(tx, id));
    if (!found) return 'not_found';
    if (found.resolved_at !== null) return 'resolved_before';
    const table = sql.table(found.table);
    await sql`update ${table} set resolved_at = ${now}, resolution = ${by.reason} where id = ${id}`.execute(
      tx,
    );
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

const lockDiscrepancy = (tx: Db, id: string) =>
  tx
    .selectFrom('discrepancies')
    .select(['user_id', 'resolved_at', sql.lit('discrepancies').as('table')])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();

/** It belongs to nobody here. */
const lockFinding = (tx: Db, id: string) =>
  tx
    .selectFrom('list_findings')
    .select([sql.lit(null).as('user_id'), 'resolved_at', sql.lit('list_findings').as('table')])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();

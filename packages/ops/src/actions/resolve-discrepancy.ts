// Resolves a discrepancy, or a finding about an unreadable list item. The operator's reason is stored with it.

import type { Clock } from '../../../../src/domain/clock.ts';
import { inDbTransaction } from '../../../../src/platform/database/db-transaction.ts';
import type { Db } from '../../../../src/platform/database/orm.ts';
import { auditOperator, type By } from '../../../../src/platform/security/audit-operator.ts';
import { lockDiscrepancyById, resolveDiscrepancyById } from '../../../../src/platform/sql/discrepancies.ts';
import { lockFindingById, resolveFindingById } from '../../../../src/platform/sql/list-findings.ts';
import { type CommandCall, type CommandSpec, OpsFailure } from '../command.ts';
import { printResult } from '../output.ts';

export const discrepanciesResolveCommand: CommandSpec = {
  name: 'discrepancies resolve',
  summary: 'close a discrepancy; the reason says what was found out',
  argument: { name: 'id', form: 'uuid' },
  run,
};

async function run({ app, out, argument: id, operator, reason }: CommandCall): Promise<void> {
  const outcome = await resolveDiscrepancy(app, id, { operator, reason });
  if (outcome === 'not_found') throw new OpsFailure(`There is no discrepancy ${id}.`);
  printResult(
    out,
    outcome === 'resolved'
      ? { changed: true, sentence: 'The discrepancy is resolved, and your reason is kept with it.' }
      : { changed: false, sentence: 'The discrepancy was resolved before.' },
  );
}

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

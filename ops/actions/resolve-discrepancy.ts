// Resolves a discrepancy, or a finding about an unreadable list item. The operator's reason is stored with it.

import { lockDiscrepancyById, resolveDiscrepancyById } from '../../src/tables/discrepancies/statements.ts';
import { lockFindingById, resolveFindingById } from '../../src/tables/list-findings/statements.ts';
import type { Db } from '../../src/tables/orm.ts';
import { audit, changed, inOneCommit, unchanged } from '../action.ts';
import { type CommandSpec, OpsFailure } from '../command.ts';

export const discrepanciesResolveCommand: CommandSpec = {
  name: 'discrepancies resolve',
  summary: 'close a discrepancy; the reason says what was found out',
  argument: { name: 'id', form: 'uuid' },
  run: inOneCommit(async (tx, call) => {
    const { app, argument: id, reason } = call;
    const found = await lock(tx, id);
    if (!found) throw new OpsFailure(`There is no discrepancy ${id}.`);
    if (found.resolvedAt !== null) return unchanged('The discrepancy was resolved before.');
    await found.resolve(tx, { id, resolvedAt: app.clock.now(), resolution: reason });
    await audit(tx, call, { target: id, userId: found.userId });
    return changed('The discrepancy is resolved, and your reason is kept with it.');
  }),
};

async function lock(tx: Db, id: string) {
  const discrepancy = await lockDiscrepancyById(tx, { id });
  if (discrepancy) return { ...discrepancy, resolve: resolveDiscrepancyById };
  const finding = await lockFindingById(tx, { id });
  // A finding has no user.
  return finding && { ...finding, userId: null, resolve: resolveFindingById };
}

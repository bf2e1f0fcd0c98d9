// Resolves a discrepancy, or a finding about an unreadable list item. The operator's reason is stored with it.

import {
  findDiscrepancyById,
  lockDiscrepancy,
  resolveDiscrepancy,
} from '../../src/tables/discrepancies/statements.ts';
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
    await found.resolve({ resolvedAt: app.clock.now(), resolution: reason });
    await audit(tx, call, { target: id, userId: found.userId });
    return changed('The discrepancy is resolved, and your reason is kept with it.');
  }),
};

async function lock(tx: Db, id: string) {
  const discrepancy = await findDiscrepancyById(tx, { id });
  if (discrepancy) {
    const { userId } = discrepancy;
    const locked = await lockDiscrepancy(tx, { id, userId });
    return (
      locked && {
        ...locked,
        resolve: (resolution: Resolution) => resolveDiscrepancy(tx, { id, userId, ...resolution }),
      }
    );
  }
  const finding = await lockFindingById(tx, { id });
  // A finding has no user.
  return (
    finding && {
      ...finding,
      userId: null,
      resolve: (resolution: Resolution) => resolveFindingById(tx, { id, ...resolution }),
    }
  );
}

type Resolution = { resolvedAt: Date; resolution: string };

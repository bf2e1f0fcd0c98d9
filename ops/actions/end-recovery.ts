// Ends a recovery that cannot end by itself, for example because the provider has no lists.
import { DatabaseTime } from '../../src/platform/database/database-time.ts';
import { findLatestHistory, setHistoryEnded } from '../../src/tables/database-histories/statements.ts';
import { audit, changed, inOneCommit, unchanged } from '../action.ts';
import type { CommandSpec } from '../command.ts';

export const recoveryEndCommand: CommandSpec = {
  name: 'recovery end',
  summary: 'promise money again although something may be missing here',
  run: inOneCommit(async (tx, call) => {
    const latest = await findLatestHistory(tx, {});
    // A worker records the new server of a restored database within seconds.
    if (!latest || latest.id === null || latest.server !== latest.here || latest.endedAt !== null)
      return unchanged('No recovery is underway.');
    await setHistoryEnded(tx, { id: latest.id, now: await DatabaseTime.read(tx) });
    await audit(tx, call, { target: latest.id, userId: null });
    return changed(
      'Confirmations and withdrawals are accepted again, also from people for whom something is missing.',
    );
  }),
};

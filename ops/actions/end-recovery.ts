// Ends a recovery that cannot end by itself, for example because the provider has no lists.

import { DatabaseTime } from '../../src/platform/database/database-time.ts';
import { readHistory, recoveryIn } from '../../src/tables/database-histories/recovery.ts';
import { setHistoryEnded } from '../../src/tables/database-histories/statements.ts';
import { audit, changed, inOneCommit, unchanged } from '../action.ts';
import { type CommandSpec, OpsFailure } from '../command.ts';

export const recoveryEndCommand: CommandSpec = {
  name: 'recovery end',
  summary: 'promise money again although something may be missing here',
  run: inOneCommit(async (tx, call) => {
    const recovery = recoveryIn(await readHistory(tx));
    if (recovery === null) return unchanged('No recovery is underway.');
    if (recovery.history === null)
      throw new OpsFailure(
        'No worker has seen yet that the database was restored. Try again in a few seconds.',
      );
    const { id } = recovery.history;
    await setHistoryEnded(tx, { id, now: await DatabaseTime.read(tx) });
    await audit(tx, call, { target: id, userId: null });
    return changed(
      'Confirmations and withdrawals are accepted again, also from people for whom something is missing.',
    );
  }),
};

// Says that the database was restored, where the server does not show it: a snapshot of the disk has the same timeline.
import { newId } from '../../src/domain/ids.ts';
import { beginHistory } from '../../src/jobs/watch-history.ts';
import { findLatestHistory } from '../../src/tables/database-histories/statements.ts';
import { audit, changed, inOneCommit } from '../action.ts';
import { type CommandSpec, OpsFailure } from '../command.ts';

export const recoveryBeginCommand: CommandSpec = {
  name: 'recovery begin',
  summary: 'promise no money until the lists of the provider were compared with the rows here',
  run: inOneCommit(async (tx, call) => {
    const latest = await findLatestHistory(tx, {});
    if (!latest) throw new OpsFailure('The database does not say which server it is. Nothing was changed.');
    const id = newId();
    await beginHistory(tx, { id, server: latest.here });
    await audit(tx, call, { target: id, userId: null });
    return changed(
      'Confirmations and withdrawals are refused. A worker compares the lists now; `npm run ops -- status` shows how far it is.',
    );
  }),
};

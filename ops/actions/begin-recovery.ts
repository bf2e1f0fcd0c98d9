// Says that the database was restored, where the server does not show it: a snapshot of the disk has the same timeline.
import { newId } from '../../src/domain/ids.ts';
import { beginHistory } from '../../src/jobs/watch-history.ts';
import { readHistory } from '../../src/tables/database-histories/recovery.ts';
import { audit, changed, inOneCommit } from '../action.ts';
import type { CommandSpec } from '../command.ts';

export const recoveryBeginCommand: CommandSpec = {
  name: 'recovery begin',
  summary: 'promise no money until the lists of the provider were compared with the rows here',
  run: inOneCommit(async (tx, call) => {
    const id = newId();
    await beginHistory(tx, { id, server: (await readHistory(tx)).here });
    await audit(tx, call, { target: id, userId: null });
    return changed(
      'Confirmations and withdrawals are refused. A worker compares the lists now; `npm run ops -- status` shows how far it is.',
    );
  }),
};

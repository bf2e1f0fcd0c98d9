// Users whose verification the provider does not know yet: something to reconcile for each of them.
import type { App } from '../../src/app.ts';
import { beginKyc } from '../../src/commands/begin-kyc.ts';
import { handleFor } from '../../src/domain/handles.ts';
import { insertUsers } from '../support/bare-users.ts';

/** @returns the users' ids, in the order in which a run works through them. */
export async function beginManyVerifications(app: App, many: number): Promise<string[]> {
  const ids = await insertUsers(app.db, many);
  const cause = { kind: 'request', id: 'test' } as const;
  await Promise.all(ids.map((id) => beginKyc(app, id, handleFor(id, 'owner'), cause)));
  return ids;
}

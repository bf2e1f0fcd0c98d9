// Users whose verification the provider does not know yet: something to reconcile for each of them.
import type { App } from '../../src/app.ts';
import { beginKyc } from '../../src/commands/begin-kyc.ts';
import { handleFor } from '../../src/domain/handles.ts';
import { newId } from '../../src/domain/ids.ts';

/** @returns the users' ids, in the order in which a run works through them. */
export async function beginManyVerifications(app: App, many: number): Promise<string[]> {
  const ids = Array.from({ length: many }, newId).toSorted();
  const row = { auth_provider: 'identity_provider_a', display_name: '', created_at: new Date() } as const;
  await app.db
    .insertInto('users')
    .values(ids.map((id) => ({ ...row, id, auth_subject: id })))
    .execute();
  const cause = { kind: 'request', id: 'test' } as const;
  await Promise.all(ids.map((id) => beginKyc(app, id, handleFor(id, 'owner'), cause)));
  return ids;
}

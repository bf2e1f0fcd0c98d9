// Creates users whose verification the provider does not know yet, so that each of them has something to reconcile.

import { handleFor } from '../../src/domain/handles.ts';
import { beginKyc } from '../../src/onboarding/start-kyc.ts';
import type { App } from '../../src/start/app.ts';
import { insertUsers } from '../support/bare-users.ts';

/**
 * Fewer than the connections of a test's service. Each start of a verification waits for a connection, and that wait has a limit.
 */
const CONCURRENT = 5;

/** @returns the users' ids, in the order in which a run works through them. */
export async function beginManyVerifications(app: App, count: number): Promise<string[]> {
  const ids = await insertUsers(app.db, count);
  const cause = { kind: 'request', id: 'test' } as const;
  const remaining = ids.values();
  await Promise.all(
    Array.from({ length: CONCURRENT }, async () => {
      for (const id of remaining) await beginKyc(app, id, handleFor(id, 'owner'), cause);
    }),
  );
  return ids;
}

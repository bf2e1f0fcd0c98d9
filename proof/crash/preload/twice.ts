// Runs each decision twice if DECIDE_TWICE is set: first in a transaction that is rolled back, as after a deadlock, then in the
// real one.
import type { Kysely } from 'kysely';
import * as transaction from '../../../src/platform/database/db-transaction.ts';
import { actor } from './actor.ts';
import { reach } from './points.ts';

const isTwice = process.env['DECIDE_TWICE'] === 'true';

class RolledBack extends Error {}

/** Runs the decision and rolls back what it has written. Its result or error is dropped: the second run decides. */
export async function rehearse<Tables>(
  db: Kysely<Tables>,
  decide: transaction.RepeatableDecision<Tables, unknown>,
  options?: transaction.TransactionOptions,
): Promise<void> {
  if (!isTwice) return;
  const decideAndRollBack: typeof decide = async (tx) => {
    await decide(tx);
    throw new RolledBack();
  };
  await transaction.inDbTransaction(db, decideAndRollBack, options).catch(() => undefined);
  reach(`${DECIDED_TWICE} (${actor()})`);
}

export const DECIDED_TWICE = 'decided twice';

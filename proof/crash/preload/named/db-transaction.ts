// Replaces src/platform/database/db-transaction.ts: a decision runs twice if DECIDE_TWICE is set.
import * as transaction from '../../../../src/platform/database/db-transaction.ts';
import { rehearse } from '../twice.ts';

export * from '../../../../src/platform/database/db-transaction.ts';

export const inDbTransaction: typeof transaction.inDbTransaction = async (db, decide, options) => {
  await rehearse(db, decide, options);
  return transaction.inDbTransaction(db, decide, options);
};

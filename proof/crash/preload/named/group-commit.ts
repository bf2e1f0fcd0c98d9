// Replaces src/platform/database/group-commit.ts: a decision keeps its own name in a transaction that another decision began. If
// DECIDE_TWICE is set, it runs twice.
import { AsyncLocalStorage } from 'node:async_hooks';
import * as groupCommit from '../../../../src/platform/database/group-commit.ts';
import { rehearse } from '../twice.ts';

export const createGroupCommit: typeof groupCommit.createGroupCommit = (db, maxTogether) => {
  const share = groupCommit.createGroupCommit(db, maxTogether);
  return async (person, decide) => {
    await rehearse(db, decide);
    return share(person, AsyncLocalStorage.bind(decide));
  };
};

// Stands in for src/database/group-commit.ts: a decision keeps its own name in a transaction that another one began.
import { AsyncLocalStorage } from 'node:async_hooks';
import * as groupCommit from '../../../../src/database/group-commit.ts';

export const createGroupCommit: typeof groupCommit.createGroupCommit = (db) => {
  const share = groupCommit.createGroupCommit(db);
  return (person, decide) => share(person, AsyncLocalStorage.bind(decide));
};

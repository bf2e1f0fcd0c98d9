// Resolves a bearer token to its user. For a closed account the response says only that the account is closed.

import type { AuditLog } from '../audit/log.ts';
import { recordClosedSession } from '../audit/refusals.ts';
import { Refusal } from '../domain/refusals.ts';
import type { SessionTokens } from '../security/session-token.ts';
import type { Db } from '../tables/orm.ts';
import { findUser } from '../tables/users/statements.ts';
import type { ApiOperation, ApiRequest } from './request.ts';

/**
 * Authenticates a request by its session token. Then the request waits for its turn, and its user is read, together with the
 * operation's rows if it has any. They become properties of the request.
 * @throws Refusal `unauthorized`, `account_closed` or `too_many_requests`. If the caller is authenticated and the input of an
 *   operation with rows is not valid, it throws what `inputOf` throws.
 */
export type Authenticate = (request: ApiRequest, operation: ApiOperation) => Promise<void>;

export const createAuthenticate =
  ({ db, auditLog, sessions }: { db: Db; auditLog: AuditLog; sessions: SessionTokens }): Authenticate =>
  async (request, operation) => {
    const [, token] = /^Bearer ([\w.-]+)$/i.exec(request.headers.authorization ?? '') ?? [];
    const userId = token === undefined ? null : await sessions.verify(token);
    if (userId === null) throw new Refusal('unauthorized');
    await request.takeTurn(userId);
    let { read } = operation;
    let fault: unknown = null;
    try {
      if (read) request.input = operation.inputOf(request);
    } catch (thrown) {
      // Report errors in the rest of the request only to authenticated callers.
      fault = thrown;
      read = undefined;
    }
    const callerRows = read
      ? await read(db, userId, request.input as never)
      : { user: await findUser(db, { userId }) };
    if (!callerRows?.user) throw new Refusal('unauthorized');
    const { user } = callerRows;
    if (user.closedAt !== null && operation.operationId !== 'closeAccount') {
      recordClosedSession(auditLog, user.id, operation.operationId, request.id);
      throw new Refusal('account_closed');
    }
    Object.assign(request, callerRows);
    if (fault !== null) throw fault;
  };

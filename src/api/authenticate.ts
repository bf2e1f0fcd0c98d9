// Resolves a bearer token to its user. For a closed account the response says only that the account is closed.

import { Refusal } from '../domain/refusals.ts';
import { onOneConnection } from '../platform/database/db-transaction.ts';
import type { Db } from '../platform/database/orm.ts';
import type { AuditLog } from '../platform/security/audit-log.ts';
import { recordClosedSession } from '../platform/security/audit-refusals.ts';
import type { SessionTokens } from '../platform/security/session-token.ts';
import { findUser } from '../platform/sql/users.ts';
import type { Authenticate, ReadRows } from './admission.ts';

export const createAuthenticate =
  ({ db, auditLog }: { db: Db; auditLog: AuditLog }, sessions: SessionTokens): Authenticate =>
  async ({ authorization, operationId, requestId }, readFor, takeTurn) => {
    const [, token] = /^Bearer ([\w.-]+)$/i.exec(authorization ?? '') ?? [];
    const userId = token === undefined ? null : await sessions.verify(token);
    if (userId === null) throw new Refusal('unauthorized');
    await takeTurn(userId);
    const known = await readUser(db, userId, readFor(userId));
    if (!known) throw new Refusal('unauthorized');
    const { user } = known;
    if (user.closedAt !== null && operationId !== 'closeAccount') {
      recordClosedSession(auditLog, user.id, operationId, requestId);
      throw new Refusal('account_closed');
    }
    return known;
  };

/** Reads the user's row and the operation's rows; both statements are sent in one packet. */
async function readUser(db: Db, userId: string, readRows: ReadRows | null) {
  const [user, rows] = await onOneConnection(db, (connection) => [
    findUser(connection, { userId }),
    readRows === null ? Promise.resolve() : readRows(connection),
  ]);
  return user && { user, rows };
}

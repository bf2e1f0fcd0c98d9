// Resolves a bearer token to its user. For a closed account the response says only that the account is closed.

import { Refusal } from '../domain/refusals.ts';
import type { Db } from '../platform/database/orm.ts';
import type { AuditLog } from '../platform/security/audit-log.ts';
import { recordClosedSession } from '../platform/security/audit-refusals.ts';
import type { SessionTokens } from '../platform/security/session-token.ts';
import { findUser } from '../platform/sql/users.ts';
import type { Authenticate } from './admission.ts';

export const createAuthenticate =
  ({ db, auditLog }: { db: Db; auditLog: AuditLog }, sessions: SessionTokens): Authenticate =>
  async ({ authorization, operationId, requestId }, readFor, takeTurn) => {
    const [, token] = /^Bearer ([\w.-]+)$/i.exec(authorization ?? '') ?? [];
    const userId = token === undefined ? null : await sessions.verify(token);
    if (userId === null) throw new Refusal('unauthorized');
    await takeTurn(userId);
    const read = readFor(userId) ?? ((from) => readUser(from, userId));
    const known = await read(db);
    if (!known) throw new Refusal('unauthorized');
    const { user } = known;
    if (user.closedAt !== null && operationId !== 'closeAccount') {
      recordClosedSession(auditLog, user.id, operationId, requestId);
      throw new Refusal('account_closed');
    }
    return known;
  };

async function readUser(db: Db, userId: string) {
  const user = await findUser(db, { userId });
  return user && { user };
}

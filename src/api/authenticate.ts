// From a bearer token to the user it identifies. A closed account is told only that it is closed.
import { sql } from 'kysely';
import type { App } from '../app.ts';
import { recordClosedSession } from '../audit/refusals.ts';
import type { SessionTokens } from '../auth/session-token.ts';
import { Refusal } from '../domain/refusals.ts';
import type { UserRow } from '../entities/rows.ts';
import { type Rows, readRows } from '../queries/rows.ts';
import type { Authenticate } from './admission.ts';

export const createAuthenticate =
  (app: App, sessions: SessionTokens): Authenticate =>
  async ({ authorization, operationId, requestId }, reads) => {
    const [, token] = /^Bearer ([\w.-]+)$/i.exec(authorization ?? '') ?? [];
    const userId = token === undefined ? null : await sessions.verify(token);
    const known = userId === null ? undefined : await readPerson(app, userId, reads(userId));
    if (!known) throw new Refusal('unauthorized');
    const { user } = known;
    if (user.closed_at !== null && operationId !== 'closeAccount') {
      recordClosedSession(app.auditLog, user.id, operationId, requestId);
      throw new Refusal('account_closed');
    }
    return known;
  };

/** The user, and the rows with it in the same statement, unless the rows may come from a replica. */
async function readPerson(
  { db, replica }: App,
  userId: string,
  reads: { rows: Rows; mayLag: boolean } | null,
) {
  if (reads === null || (reads.mayLag && replica !== db)) {
    const user = await db.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirst();
    return user && { user, ...(reads && { rows: await readRows(replica, reads.rows) }) };
  }
  const found = await sql<UserRow & { rows: unknown }>`
    select users.*, ${reads.rows} as rows from users where users.id = ${userId}`.execute(db);
  const [user] = found.rows;
  return user && { user, rows: user.rows };
}

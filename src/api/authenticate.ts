// From a bearer token to the user it identifies. A closed account is told only that it is closed.
import { sql } from 'kysely';
import type { App } from '../app.ts';
import { recordClosedSession } from '../audit/refusals.ts';
import type { SessionTokens } from '../auth/session-token.ts';
import { columnStatement } from '../database/statement.ts';
import { Refusal } from '../domain/refusals.ts';
import type { UserRow } from '../entities/rows.ts';
import type { Rows } from '../queries/rows.ts';
import type { Authenticate } from './admission.ts';

export const createAuthenticate =
  (app: App, sessions: SessionTokens): Authenticate =>
  async ({ authorization, operationId, requestId }, rowsFor, takeTurn) => {
    const [, token] = /^Bearer ([\w.-]+)$/i.exec(authorization ?? '') ?? [];
    const userId = token === undefined ? null : await sessions.verify(token);
    if (userId === null) throw new Refusal('unauthorized');
    await takeTurn(userId);
    const known = await readPerson(app, userId, rowsFor(userId));
    if (!known) throw new Refusal('unauthorized');
    const { user } = known;
    if (user.closed_at !== null && operationId !== 'closeAccount') {
      recordClosedSession(app.auditLog, user.id, operationId, requestId);
      throw new Refusal('account_closed');
    }
    return known;
  };

const findUser = columnStatement((db, { userId }: { userId: string }) =>
  db.selectFrom('users').selectAll().where('id', '=', userId),
);

/** Reads the user, and the rows in the same statement if the operation has some. */
async function readPerson({ db }: App, userId: string, rows: Rows | null) {
  if (rows === null) {
    const [user] = (await findUser(db, { userId })).rows;
    return user && { user };
  }
  const found = await sql<UserRow & { rows: unknown }>`
    select users.*, ${rows} as rows from users where users.id = ${userId}`.execute(db);
  const [user] = found.rows;
  return user && { user, rows: user.rows };
}

// POST /me/data-request: stores a data subject's request for support, with the date by which it must be answered.

import type { DataRequest } from '../../openapi/generated/openapi.ts';
import { hashed, idempotent, type Keyed } from '../api/idempotency.ts';
import { created, type Handler, ok } from '../api/operation.ts';
import { newId } from '../domain/ids.ts';
import { Refusal } from '../domain/refusals.ts';
import type { DatabaseClock } from '../platform/database/database-time.ts';
import { inDbTransaction } from '../platform/database/db-transaction.ts';
import { encryptionContexts } from '../security/encryption-contexts.ts';
import type { Sealer } from '../security/sealer.ts';
import {
  findDataRequest,
  insertDataRequest,
  listOpenDataRequests,
} from '../tables/data-requests/statements.ts';
import type { Db } from '../tables/orm.ts';
import type { Entity } from '../tables/rows.ts';
import { lockUser } from '../tables/users/lock-user.ts';
import { dataRequestDueAt } from './retention.ts';

export const createDataRequest: Handler<
  'createDataRequest',
  { db: Db; sealer: Sealer; databaseClock: DatabaseClock }
> = async (request, { db, sealer, databaseClock }) => {
  const { resourceId, replayed } = await recordDataRequest({ db, sealer, databaseClock }, request);
  const row = await findDataRequest(db, { userId: request.user.id, id: resourceId });
  if (!row) throw new Error('a data request vanished after it was recorded');
  const answer = dataRequestFrom(row);
  return replayed ? ok(answer) : created(answer);
};

type Wanted = { type: Entity<'DataRequest'>['type']; notes?: string };

/**
 * The maximum number of open requests per user: two for each type that POST /me/data-request accepts. Notes may be as long as
 * BODY_LIMIT, so without this limit one user could fill the disk.
 */
const MAX_OPEN = 10;

/**
 * Records a data subject's request.
 * @returns the request's id, and whether it was recorded before under the same idempotency key.
 * @throws Refusal `too_many_data_requests` if the user has the maximum number of open requests.
 */
async function recordDataRequest(
  { db, sealer, databaseClock }: { db: Db; sealer: Sealer; databaseClock: DatabaseClock },
  request: Keyed & { body: Wanted },
): Promise<{ resourceId: string; replayed: boolean }> {
  const { user, body } = request;
  const id = newId();
  // Sealing may load a data key, so it runs before the transaction.
  const keyed = await hashed(sealer, request);
  const notesSealed =
    body.notes === undefined
      ? null
      : await sealer.seal(encryptionContexts.requestNotes(user.id, id), body.notes);
  return inDbTransaction(db, async (tx) => {
    // The lock prevents two concurrent requests from both being accepted as the tenth.
    await lockUser(tx, user.id);
    return idempotent(tx, 'createDataRequest', keyed, async () => {
      const open = await listOpenDataRequests(tx, { userId: user.id, limit: MAX_OPEN });
      if (open.length >= MAX_OPEN) throw new Refusal('too_many_data_requests');
      const now = await databaseClock.now(tx);
      await insertDataRequest(tx, {
        id,
        userId: user.id,
        type: body.type,
        status: 'open',
        notesSealed,
        receivedAt: now.toDate(),
        dueAt: dataRequestDueAt(now).toDate(),
        closedAt: null,
      });
      return id;
    });
  });
}

const dataRequestFrom = (row: Entity<'DataRequest'>): DataRequest => ({
  id: row.id,
  type: row.type as DataRequest['type'],
  status: row.status,
  receivedAt: row.receivedAt.toISOString(),
});

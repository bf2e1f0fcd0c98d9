// Records a data subject's request with the date by which it must be answered.

import type { App } from '../app.ts';
import { lockUser } from '../balance/reserve.ts';
import { hashed, idempotent, type Keyed } from '../commands/idempotency.ts';
import type { Db } from '../database/orm.ts';
import { inTransaction } from '../database/transaction.ts';
import { newId } from '../domain/ids.ts';
import { Refusal } from '../domain/refusals.ts';
import { dataRequestDueAt } from '../domain/retention.ts';
import type { Entity } from '../entities/rows.ts';
import { encryptionContexts } from '../sealing/encryption-contexts.ts';

type Wanted = { type: Entity<'DataRequest'>['type']; notes?: string };

/** Each right there is, twice. Notes may be as long as BODY_LIMIT, so without a limit one person could fill the disk. */
const MOST_OPEN = 10;

/**
 * @returns the request's id, and whether it was recorded before under the same key.
 * @throws Refusal `too_many_data_requests` while the person has as many open as are allowed.
 */
export async function recordDataRequest(
  app: App,
  request: Keyed & { body: Wanted },
): Promise<{ resourceId: string; replayed: boolean }> {
  const { user, body } = request;
  const id = newId();
  // Sealing may load a key, so it comes before the transaction.
  const keyed = await hashed(app.sealer, request);
  const notes_sealed =
    body.notes === undefined
      ? null
      : await app.sealer.seal(encryptionContexts.requestNotes(user.id, id), body.notes);
  const now = app.clock.now();
  return inTransaction(app.db, async (tx) => {
    // Two concurrent requests must not both be the tenth.
    await lockUser(tx, user.id);
    return idempotent(tx, 'createDataRequest', keyed, now, async () => {
      if ((await countOpen(tx, user.id)) >= MOST_OPEN) throw new Refusal('too_many_data_requests');
      const row = { id, user_id: user.id, type: body.type, notes_sealed, received_at: now };
      await tx
        .insertInto('data_requests')
        .values({ ...row, due_at: dataRequestDueAt(now) })
        .execute();
      return id;
    });
  });
}

async function countOpen(tx: Db, userId: string): Promise<number> {
  const open = await tx
    .selectFrom('data_requests')
    .select('id')
    .where('user_id', '=', userId)
    .where('status', '=', 'open')
    .limit(MOST_OPEN)
    .execute();
  return open.length;
}

// POST /me/data-request: kept for support, with the date by which it must be answered.

import { idempotent } from '../api/idempotency.ts';
import { created, type Handler, ok } from '../api/operation.ts';
import { newId } from '../domain/ids.ts';
import { dataRequestDueAt } from '../domain/retention.ts';
import { places } from '../sealing/places.ts';

export const createDataRequest: Handler<'createDataRequest'> = async (request, app) => {
  const { user, body } = request;
  const id = newId();
  const notes =
    body.notes === undefined ? null : await app.sealer.seal(places.requestNotes(user.id, id), body.notes);
  const now = app.clock.now();
  const outcome = await app.db.transaction().execute((tx) =>
    idempotent(tx, 'createDataRequest', request, now, async () => {
      const row = { id, user_id: user.id, type: body.type, notes_sealed: notes, received_at: now };
      await tx
        .insertInto('data_requests')
        .values({ ...row, due_at: dataRequestDueAt(now) })
        .execute();
      return id;
    }),
  );
  const row = await app.db
    .selectFrom('data_requests')
    .select(['id', 'type', 'status', 'received_at'])
    .where('id', '=', outcome.resourceId)
    .where('user_id', '=', user.id)
    .executeTakeFirstOrThrow();
  const answer = {
    id: row.id,
    type: row.type as typeof body.type,
    status: row.status,
    receivedAt: row.received_at.toISOString(),
  };
  return outcome.replayed ? ok(answer) : created(answer);
};

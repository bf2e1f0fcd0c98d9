// A data subject's request, kept with the date by which it must be answered.
import { idempotent, type Keyed } from '../api/idempotency.ts';
import type { App } from '../app.ts';
import { newId } from '../domain/ids.ts';
import { dataRequestDueAt } from '../domain/retention.ts';
import type { DataRequestRow } from '../queries/data-requests.ts';
import { places } from '../sealing/places.ts';

type Wanted = { type: DataRequestRow['type']; notes?: string };

/** @returns the request's id, and whether it was recorded before under the same key. */
export async function recordDataRequest(
  app: App,
  request: Keyed & { body: Wanted },
): Promise<{ resourceId: string; replayed: boolean }> {
  const { user, body } = request;
  const id = newId();
  // Sealing may load a key, so it comes before the transaction.
  const notes_sealed =
    body.notes === undefined ? null : await app.sealer.seal(places.requestNotes(user.id, id), body.notes);
  const now = app.clock.now();
  return app.db.transaction().execute((tx) =>
    idempotent(tx, 'createDataRequest', request, now, async () => {
      const row = { id, user_id: user.id, type: body.type, notes_sealed, received_at: now };
      await tx
        .insertInto('data_requests')
        .values({ ...row, due_at: dataRequestDueAt(now) })
        .execute();
      return id;
    }),
  );
}

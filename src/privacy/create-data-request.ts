// POST /me/data-request: stores a data subject's request for support, with the date by which it must be answered.

import { created, type Handler, ok } from '../api/operation.ts';
import type { Clock } from '../domain/clock.ts';
import type { Db } from '../platform/database/orm.ts';
import type { Sealer } from '../platform/sealing/sealer.ts';
import { findDataRequest } from '../platform/sql/data-requests.ts';
import { dataRequestFrom } from './data-requests.ts';
import { recordDataRequest } from './record-data-request.ts';

export const createDataRequest: Handler<
  'createDataRequest',
  { db: Db; sealer: Sealer; clock: Clock }
> = async (request, { db, sealer, clock }) => {
  const { resourceId, replayed } = await recordDataRequest({ db, sealer, clock }, request);
  const row = await findDataRequest(db, { userId: request.user.id, id: resourceId });
  if (!row) throw new Error('a data request vanished after it was recorded');
  const answer = dataRequestFrom(row);
  return replayed ? ok(answer) : created(answer);
};

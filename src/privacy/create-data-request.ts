// POST /me/data-request: stores a data subject's request for support, with the date by which it must be answered.

import { recordDataRequest } from './record-data-request.ts';
import { dataRequestFrom } from './data-requests.ts';
import { findDataRequest } from '../platform/sql/data-requests.ts';
import { created, type Handler, ok } from '../api/operation.ts';

export const createDataRequest: Handler<'createDataRequest'> = async (request, app) => {
  const { resourceId, replayed } = await recordDataRequest(app, request);
  const row = await findDataRequest(app.db, { userId: request.user.id, id: resourceId });
  if (!row) throw new Error('a data request vanished after it was recorded');
  const answer = dataRequestFrom(row);
  return replayed ? ok(answer) : created(answer);
};

// POST /me/data-request: stored for support, with the date by which it must be answered.

import { recordDataRequest } from '../privacy/record-data-request.ts';
import { dataRequestFrom, getDataRequest } from '../queries/data-requests.ts';
import { created, type Handler, ok } from './operation.ts';

export const createDataRequest: Handler<'createDataRequest'> = async (request, app) => {
  const { resourceId, replayed } = await recordDataRequest(app, request);
  const answer = dataRequestFrom(await getDataRequest(app.db, request.user.id, resourceId));
  return replayed ? ok(answer) : created(answer);
};

// Assigns the ids of a request. The client's id is echoed, so that its logs can be matched with ours. Permanent records store our
// own id, which a client cannot choose. Log lines have both.
import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';

export type Identified = {
  /** The id that this service chose. */
  id: string;
  /** The id that the client sent, if it has at most 128 letters, digits, dots, underscores and hyphens. */
  clientRequestId: string | undefined;
};

export const identify: RequestHandler = (request, response, next) => {
  const given = request.get('x-request-id');
  const isHarmless = given !== undefined && /^[A-Za-z0-9._-]{1,128}$/.test(given);
  const ids: Identified = { id: randomUUID(), clientRequestId: isHarmless ? given : undefined };
  Object.assign(request, ids);
  response.set('X-Request-Id', shownId(ids));
  next();
};

/** Returns the id for the response header `X-Request-Id`: the client's id if it sent one, otherwise ours. */
export const shownId = ({ id, clientRequestId }: Identified): string => clientRequestId ?? id;

/** Returns the fields that identify a request in log lines. */
export const loggedIds = ({ id, clientRequestId }: Identified) => ({
  requestId: id,
  ...(clientRequestId !== undefined && { clientRequestId }),
});

// The ids of a request. A client's own is echoed, so that its logs and ours can be compared; permanent records carry one
// of ours, which no client can choose. The log has both.
import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';

export type Identified = {
  /** Ours. */
  id: string;
  /** The client's, where it sent a harmless one. */
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

/** For the answer's header. */
export const shownId = ({ id, clientRequestId }: Identified): string => clientRequestId ?? id;

/** For its log lines. */
export const loggedIds = ({ id, clientRequestId }: Identified) => ({
  requestId: id,
  ...(clientRequestId !== undefined && { clientRequestId }),
});

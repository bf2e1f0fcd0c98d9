// Assigns the ids of a request. The client's id is echoed, so that its logs can be matched with ours. Permanent records store our
// own id, which a client cannot choose. Log lines have both.
import { randomUUID } from 'node:crypto';
import type { Request } from 'express';
import type { ApiRequest } from './request.ts';

type RequestIds = Pick<ApiRequest, 'id' | 'clientRequestId'>;

export function assignIds(request: Request): RequestIds {
  const clientsId = request.get('x-request-id');
  const isHarmless = clientsId !== undefined && /^[A-Za-z0-9._-]{1,128}$/.test(clientsId);
  return { id: randomUUID(), clientRequestId: isHarmless ? clientsId : undefined };
}

/** Returns the id for the response header `X-Request-Id`: the client's id if it sent one, otherwise ours. */
export const shownId = ({ id, clientRequestId }: RequestIds): string => clientRequestId ?? id;

/** Returns the fields that identify a request in log lines. */
export const loggedIds = ({ id, clientRequestId }: RequestIds) => ({
  requestId: id,
  ...(clientRequestId !== undefined && { clientRequestId }),
});

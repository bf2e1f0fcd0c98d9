// The answer of a control: JSON for a program. A form gets the page of what it changed, or a page that says why nothing changed.
import type { Request, Response } from 'express';
import { refusedPage } from '../pages/layout.ts';
import type { Reply } from '../provider/operation.ts';
import { send } from '../provider/reply.ts';

/**
 * @param done what the page says was done.
 * @param changed the page of what was changed.
 */
export function answer(
  request: Request,
  response: Response,
  reply: Reply,
  done: string,
  changed = pageOf(request),
): void {
  if (!request.is('application/x-www-form-urlencoded')) return send(response, reply);
  const { detail, movement_uuid } = reply.body as { detail?: string; movement_uuid?: string };
  if (detail !== undefined) {
    const title = done === 'deposited' ? 'No deposit' : 'That is not possible';
    response
      .status(reply.status)
      .type('html')
      .send(refusedPage(title, detail, changed));
    return;
  }
  const page = movement_uuid === undefined ? changed : `/console/movements/${movement_uuid}`;
  response.redirect(303, `${page}?done=${done}`);
}

/** The page of the resource that a control changes: `/sandbox/payouts/<uuid>/complete` belongs to `/console/payouts/<uuid>`. */
function pageOf({ baseUrl, params }: Request): string {
  const { resource, uuid, id } = params as Record<string, string | undefined>;
  if (resource !== undefined) return `/console/${resource}/${encodeURIComponent(uuid ?? '')}`;
  return id === undefined
    ? '/console/accounts'
    : `/console${baseUrl.slice('/sandbox'.length)}/${encodeURIComponent(id)}`;
}

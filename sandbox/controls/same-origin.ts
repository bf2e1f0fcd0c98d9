// Refuses requests that another site makes a browser send: only the sandbox's own pages may use the controls. Programs send neither
// of the checked headers.
import type { NextFunction, Request, Response } from 'express';
import { problem, send } from '../provider/reply.ts';

export function sameOriginOnly(request: Request, response: Response, next: NextFunction): void {
  if (request.method === 'GET' || request.method === 'HEAD' || isOurs(request)) next();
  else send(response, problem('unauthorized', 'another site cannot change anything here', 403));
}

function isOurs({ headers }: Request): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const { origin, host } = headers;
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
}

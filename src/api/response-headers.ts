// Sets the security headers of every response. Helmet sets the same headers on each request, so they are read from it once.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

/**
 * Helmet's options for responses that are data: a browser must not load, run or embed anything in them. The
 * page at /docs has its own policy.
 */
const onlyData = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
  xFrameOptions: { action: 'deny' as const },
};

/** The security headers, by name. malformed-http.ts also uses them, for responses that Express does not send. */
export const securityHeaders: ReadonlyMap<string, string> = guardsOf(helmet(onlyData));

export const responseHeaders: RequestHandler = (_request, response, next) => {
  response.setHeaders(new Map(securityHeaders));
  next();
};

/** Runs Helmet once and returns the headers that it sets. @throws Error if Helmet does not set them synchronously. */
function guardsOf(guard: ReturnType<typeof helmet>): Map<string, string> {
  const headers = new Map<string, string>();
  const response = {
    setHeader: (name: string, value: string) => void headers.set(name, value),
    removeHeader: () => undefined,
  };
  let isDone = false;
  guard({} as IncomingMessage, response as unknown as ServerResponse, () => {
    isDone = true;
  });
  if (!isDone) throw new Error('the headers are not made synchronously');
  return headers;
}

// The security headers of every answer. Helmet makes the same ones for each request; they are taken from it once.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** Answers are data: a browser that receives one must load, run and embed nothing. The page at /docs has its own policy. */
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

/** Also for answers that Express has no part in (malformed-http.ts). */
export const securityHeaders: ReadonlyMap<string, string> = guardsOf(helmet(onlyData));

export const responseHeaders: RequestHandler = (_request, response, next) => {
  response.setHeaders(new Map(securityHeaders));
  next();
};

/** @throws when they turn out to depend on the request. */
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

// What keeps a browser from making anything of an answer. Helmet makes the same headers for each request; they are taken from
// it once.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** What we answer is data: a browser that is shown it must load, run and embed nothing. The page at /docs has its own. */
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

export function responseHeaders(): RequestHandler {
  const guards = guardsOf(helmet(onlyData));
  return (_request, response, next) => {
    response.setHeaders(guards);
    next();
  };
}

/** @throws when they depend on the request after all. */
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

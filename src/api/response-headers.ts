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
export const securityHeaders = new Map<string, string>();

// Helmet sets its headers synchronously. It gets a response that only collects them.
const collecting = {
  setHeader: (name: string, value: string) => securityHeaders.set(name, value),
  removeHeader: () => undefined,
};
helmet(onlyData)({} as IncomingMessage, collecting as unknown as ServerResponse, () => undefined);

export const responseHeaders: RequestHandler = (_request, response, next) => {
  response.setHeaders(securityHeaders);
  next();
};

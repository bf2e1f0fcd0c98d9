// The HTTP server: what happens to every request before and after the contract takes over.
import { randomUUID } from 'node:crypto';
import cors from 'cors';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import type { Request as ContractRequest, OpenAPIBackend } from 'openapi-backend';
import document from '../../openapi/generated/openapi.json' with { type: 'json' };
import type { App } from '../app.ts';
import { accessLog } from './access-log.ts';
import { type Authenticate, admit, type Gates } from './admission.ts';
import { docsRouter } from './docs.ts';
import { invalid, refusalOf, refusals } from './errors.ts';
import { routedMethod } from './routing.ts';
import { boundUnreadBody } from './unread-body.ts';

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

export function createServer(
  app: App,
  backend: OpenAPIBackend,
  callers: { authenticate: Authenticate; gates: Gates },
): Express {
  const server = express();
  server.disable('x-powered-by');
  server.disable('etag');
  server.use(boundUnreadBody);
  server.use(requestId);
  if (app.log.isLevelEnabled('info')) server.use(accessLog(app.log, backend));
  server.use(helmet(onlyData));
  server.use(addressed);
  server.use(docsRouter(document));
  if (app.config.corsOrigins.length > 0)
    server.use(
      cors({ origin: app.config.corsOrigins, exposedHeaders: ['Link', 'X-Request-Id'], maxAge: 600 }),
    );
  server.use(noStore);
  server.use(admit(app, backend, callers));
  server.use((request, response, next) => {
    const { path, body, query, headers } = request;
    const asked = { method: routedMethod(request.method), path, body: asJson(body), query, headers };
    backend
      .handleRequest(asked as ContractRequest, request, response)
      .catch((fault: unknown) => next(errorOf(fault)));
  });
  server.use(answerRefusal(app));
  return server;
}

/** Anything can be thrown, but Express takes nothing, and some texts, for a wish to go on. */
const errorOf = (fault: unknown): Error =>
  fault instanceof Error ? fault : new Error('what was thrown is no error', { cause: fault });

/** The router reads a text as JSON still to be parsed; a body that is a JSON string has been, and must stay one. */
const asJson = (body: unknown): unknown => (typeof body === 'string' ? JSON.stringify(body) : body);

/** A client's own id is kept when it is harmless, so that its logs and ours can be laid side by side. */
const requestId: RequestHandler = (request, response, next) => {
  const given = request.get('x-request-id');
  const id = given !== undefined && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID();
  Object.assign(request, { id });
  response.set('X-Request-Id', id);
  next();
};

/** A request that does not say whom it is for is for nobody (RFC 9112, 3.2). */
const addressed: RequestHandler = (request, _response, next) => {
  if (request.headers.host === undefined && request.httpVersion !== '1.0')
    throw invalid('/headers/host', 'is required');
  next();
};

/** As nothing is kept, nothing can still be fresh: to `If-None-Match: *` Express would answer 304, whatever was asked. */
const noStore: RequestHandler = (request, response, next) => {
  response.set('Cache-Control', 'no-store');
  delete request.headers['if-none-match'];
  next();
};

// Four parameters make it an error handler to Express.
const answerRefusal =
  (app: App): ErrorRequestHandler =>
  (error, request, response, _next) => {
    const refusal = refusalOf(error);
    const { status } = refusals[refusal.code];
    const { id } = request as unknown as { id: string };
    response.locals['refusal'] = refusal.code;
    if (status >= 500) app.log.error({ error, requestId: id }, refusal.code);
    if (response.headersSent) return void response.destroy();
    // Also what was refused before anything else had been said of it.
    response.set('Cache-Control', 'no-store');
    if (status === 503) response.set('Retry-After', '1');
    if (status === 401) response.set('WWW-Authenticate', 'Bearer');
    // What would be taken instead (RFC 9110, 15.5.16).
    if (refusal.code === 'unsupported_content_encoding') response.set('Accept-Encoding', 'identity');
    response.status(status).json({
      error: refusal.message,
      code: refusal.code,
      requestId: id,
      ...(refusal.details && { details: refusal.details }),
    });
  };

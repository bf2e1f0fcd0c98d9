// The HTTP server: what happens to every request before and after the contract takes over.
import cors from 'cors';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import type { Request as ContractRequest, OpenAPIBackend, Operation } from 'openapi-backend';
import document from '../../openapi/generated/openapi.json' with { type: 'json' };
import type { ApiError } from '../../openapi/generated/openapi.ts';
import type { App } from '../app.ts';
import { accessLog } from './access-log.ts';
import { type Authenticate, admit, type Gates } from './admission.ts';
import { assertPromised } from './backend.ts';
import { docsRouter } from './docs.ts';
import { invalid, type Refusal, refusalOf, refusals } from './errors.ts';
import { type Identified, identify, loggedIds, shownId } from './request-id.ts';
import { operationFor, routedMethod } from './routing.ts';
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
  server.use(identify);
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
  server.use(answerRefusal(app, backend));
  return server;
}

/** Anything can be thrown, but Express takes nothing, and some texts, for a wish to go on. */
const errorOf = (fault: unknown): Error =>
  fault instanceof Error ? fault : new Error('what was thrown is no error', { cause: fault });

/** The router reads a text as JSON still to be parsed; a body that is a JSON string has been, and must stay one. */
const asJson = (body: unknown): unknown => (typeof body === 'string' ? JSON.stringify(body) : body);

/**
 * A request without a host is for no service, and a proxy in front may have gone by the other one of two (RFC 9112, 3.2). Of
 * two, Node shows the first only.
 */
const addressed: RequestHandler = (request, _response, next) => {
  const hosts = request.rawHeaders.filter((name, at) => at % 2 === 0 && /^host$/i.test(name)).length;
  if (hosts === 0 && request.httpVersion !== '1.0') throw invalid('/headers/host', 'is required');
  if (hosts > 1) throw invalid('/headers/host', 'is there more than once');
  next();
};

/** As nothing is kept, nothing can still be fresh: to `If-None-Match: *` Express would answer 304, whatever was asked. */
const noStore: RequestHandler = (request, response, next) => {
  response.set('Cache-Control', 'no-store');
  delete request.headers['if-none-match'];
  next();
};

/** Anybody can cause these as often as they like, so the fault behind them has one line for a while (see key-set.ts). */
const loggedWhereItArises: ReadonlySet<string> = new Set(['identity_provider_unavailable']);

// Four parameters make it an error handler to Express.
const answerRefusal =
  (app: App, backend: OpenAPIBackend): ErrorRequestHandler =>
  (raised, request, response, _next) => {
    const ids = request as unknown as Identified;
    const operation = operationFor(backend, request.method, request.path);
    const body = bodyOf(refusalOf(raised), shownId(ids));
    const error: unknown = brokenPromise(backend, operation, body, raised) ?? raised;
    const refusal = refusalOf(error);
    const { status } = refusals[refusal.code];
    response.locals['refusal'] = refusal.code;
    if (status >= 500 && !loggedWhereItArises.has(refusal.code))
      app.log.error({ error, ...loggedIds(ids) }, refusal.code);
    if (response.headersSent) return void response.destroy();
    // Also what was refused before anything else had been said of it.
    response.set('Cache-Control', 'no-store');
    if (status === 503) response.set('Retry-After', '1');
    if (status === 401) response.set('WWW-Authenticate', 'Bearer');
    // What would be taken instead (RFC 9110, 15.5.16).
    if (refusal.code === 'unsupported_content_encoding') response.set('Accept-Encoding', 'identity');
    response.status(status).json(bodyOf(refusal, shownId(ids)));
  };

const bodyOf = ({ message, code, details }: Refusal, id: string): ApiError => ({
  error: message,
  code,
  requestId: id,
  ...(details && { details }),
});

/** @returns the fault of ours that it is to answer an operation so, where the contract does not declare it. */
function brokenPromise(
  backend: OpenAPIBackend,
  operation: Operation | undefined,
  body: ApiError,
  cause: unknown,
): Error | null {
  // What is no operation's is promised for every address: nothing here, or not by this method.
  if (!operation) return null;
  try {
    assertPromised(backend, operation, refusals[body.code].status, body);
    return null;
  } catch (fault) {
    return new Error((fault as Error).message, { cause });
  }
}

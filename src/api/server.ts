// The HTTP server: what happens to every request before and after the contract takes over.
import cors from 'cors';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { pinoHttp } from 'pino-http';
import document from '../../openapi/generated/openapi.json' with { type: 'json' };
import type { App } from '../app.ts';
import { type Authenticate, admit, type Gates } from './admission.ts';
import type { Contract } from './contract.ts';
import { docsRouter } from './docs.ts';
import { invalid, refusalOf, refusals } from './errors.ts';
import { sendJson } from './reply.ts';
import type { Admitted } from './request.ts';
import { responseHeaders } from './response-headers.ts';
import { boundUnreadBody } from './unread-body.ts';

const ACCESS_LOG_LEVEL = 'debug';

export function createServer(
  app: App,
  contract: Contract,
  callers: { authenticate: Authenticate; gates: Gates },
): Express {
  const server = express();
  server.disable('x-powered-by');
  server.disable('etag');
  server.use(boundUnreadBody);
  server.use(responseHeaders());
  server.use(matched(contract));
  if (app.log.isLevelEnabled(ACCESS_LOG_LEVEL)) server.use(accessLog(app));
  server.use(addressed);
  server.use(outsideContract(docsRouter(document)));
  if (app.config.corsOrigins.length > 0)
    server.use(
      cors({ origin: app.config.corsOrigins, exposedHeaders: ['Link', 'X-Request-Id'], maxAge: 600 }),
    );
  server.use(admit(app, callers));
  server.use((request, response, next) => {
    contract.answer(request as Admitted, response).catch((fault: unknown) => next(errorOf(fault)));
  });
  server.use(answerRefusal(app));
  return server;
}

/** Anything can be thrown, but Express takes nothing, and some texts, for a wish to go on. */
const errorOf = (fault: unknown): Error =>
  fault instanceof Error ? fault : new Error('what was thrown is no error', { cause: fault });

/** The operation is looked for once, and kept with the request for all who ask. */
const matched =
  (contract: Contract): RequestHandler =>
  (request, _response, next) => {
    Object.assign(request, { matched: contract.match(request.method, request.path) });
    next();
  };

/** Pages are only looked for where the contract has nothing. */
const outsideContract =
  (pages: RequestHandler): RequestHandler =>
  (request, response, next) =>
    (request as Admitted).matched ? next() : pages(request, response, next);

/** A request that does not say whom it is for is for nobody (RFC 9112, 3.2). */
const addressed: RequestHandler = (request, _response, next) => {
  if (request.headers.host === undefined && request.httpVersion !== '1.0')
    throw invalid('/headers/host', 'is required');
  next();
};

/** One line for each request, with the route and never the address: addresses carry secrets and ids. */
const accessLog = (app: App): RequestHandler =>
  pinoHttp({
    logger: app.log,
    genReqId: (request) => request.id,
    serializers: { req: () => undefined, res: () => undefined, err: () => undefined },
    customAttributeKeys: { responseTime: 'ms' },
    customLogLevel: () => ACCESS_LOG_LEVEL,
    customProps: (request, response) => ({
      requestId: request.id,
      method: request.method,
      route: (request as Admitted).matched?.operation.path ?? 'unknown',
      status: response.statusCode,
    }),
    customSuccessMessage: () => 'request',
    customErrorMessage: () => 'request',
  }) as unknown as RequestHandler;

// Four parameters make it an error handler to Express.
const answerRefusal =
  (app: App): ErrorRequestHandler =>
  (error, request, response, _next) => {
    const refusal = refusalOf(error);
    const { status } = refusals[refusal.code];
    const { id } = request as unknown as { id: string };
    if (status >= 500) app.log.error({ error, requestId: id }, refusal.code);
    if (response.headersSent) return void response.destroy();
    if (status === 503) response.set('Retry-After', '1');
    if (status === 401) response.set('WWW-Authenticate', 'Bearer');
    // What would be taken instead (RFC 9110, 15.5.16).
    if (refusal.code === 'unsupported_content_encoding') response.set('Accept-Encoding', 'identity');
    sendJson(response, status, {
      error: refusal.message,
      code: refusal.code,
      requestId: id,
      ...(refusal.details && { details: refusal.details }),
    });
  };

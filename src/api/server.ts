// The HTTP server: what happens to every request before and after the contract's handling.
import cors from 'cors';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import type { Operation } from 'openapi-backend';
import document from '../../openapi/generated/openapi.json' with { type: 'json' };
import type { ApiError } from '../../openapi/generated/openapi.ts';
import type { App } from '../app.ts';
import { invalid, type Refusal, refusals } from '../domain/refusals.ts';
import type { Gates } from '../handlers/gate.ts';
import { accessLog } from './access-log.ts';
import { type Authenticate, admit, endTurn, holdUntaken } from './admission.ts';
import { type ByteLimits, createByteBudget } from './byte-budget.ts';
import type { Contract } from './contract.ts';
import { docsRouter } from './docs.ts';
import { refusalOf } from './errors.ts';
import { sendJson } from './reply.ts';
import type { Admitted } from './request.ts';
import { type Identified, identify, loggedIds, shownId } from './request-id.ts';
import { createRequestShares, type RequestLimits } from './request-shares.ts';
import { responseHeaders } from './response-headers.ts';
import { boundUnreadBody } from './unread-body.ts';

export function createServer(
  app: App,
  contract: Contract,
  callers: { authenticate: Authenticate; gates: Gates },
  limits: { requests?: RequestLimits; bytes?: ByteLimits } = {},
): Express {
  const turns = createRequestShares(limits.requests);
  const bytes = createByteBudget(limits.bytes);
  const server = express();
  server.disable('x-powered-by');
  server.disable('etag');
  server.use(boundUnreadBody);
  server.use(identify);
  server.use(responseHeaders);
  server.use(matched(contract));
  if (app.log.isLevelEnabled('info')) server.use(accessLog(app.log));
  server.use(addressed);
  server.use(outsideContract(docsRouter(document)));
  if (app.config.corsOrigins.length > 0)
    server.use(
      cors({
        origin: app.config.corsOrigins,
        exposedHeaders: ['Link', 'Retry-After', 'X-Request-Id'],
        maxAge: 600,
      }),
    );
  server.use(admit(app, callers, { turns, bytes }));
  server.use((request, response, next) => {
    contract
      .answer(request as Admitted, response)
      .then(() => holdUntaken(request as Admitted, response, bytes))
      .catch((fault: unknown) => next(errorOf(fault)))
      .finally(() => endTurn(request as Admitted));
  });
  server.use(answerRefusal(app, contract));
  return server;
}

/** Anything can be thrown, but Express ignores a thrown nothing, and treats some texts as a wish to go on. */
const errorOf = (fault: unknown): Error =>
  fault instanceof Error ? fault : new Error('what was thrown is no error', { cause: fault });

/** The operation is matched once and kept with the request. */
const matched =
  (contract: Contract): RequestHandler =>
  (request, _response, next) => {
    Object.assign(request, { matched: contract.match(request.method, request.path) });
    next();
  };

/** Pages are matched only where the contract has no operation. */
const outsideContract =
  (pages: RequestHandler): RequestHandler =>
  (request, response, next) =>
    (request as Admitted).matched ? next() : pages(request, response, next);

/**
 * A request without a host is addressed to no service, and of two hosts a proxy in front may have used the other one
 * (RFC 9112, 3.2). Of two, Node shows the first only.
 */
const addressed: RequestHandler = (request, _response, next) => {
  const hosts = request.rawHeaders.filter((name, at) => at % 2 === 0 && /^host$/i.test(name)).length;
  if (hosts === 0 && request.httpVersion !== '1.0') throw invalid('/headers/host', 'is required');
  if (hosts > 1) throw invalid('/headers/host', 'is there more than once');
  next();
};

/**
 * Clients cause these as often as they send requests, so the fault behind them is logged once: for each cool-down (see
 * key-set.ts), and when an overload begins (see overload.ts).
 */
const loggedWhereItArises: ReadonlySet<string> = new Set(['identity_provider_unavailable', 'overloaded']);

// Express recognises an error handler by its four parameters.
const answerRefusal =
  (app: App, contract: Contract): ErrorRequestHandler =>
  (raised, request, response, _next) => {
    const ids = request as unknown as Identified;
    const operation = (request as Partial<Admitted>).matched?.operation;
    const body = bodyOf(refusalOf(raised), shownId(ids));
    const error: unknown = brokenPromise(contract, operation, body, raised) ?? raised;
    const refusal = refusalOf(error);
    const { status, retryAfterSeconds } = refusals[refusal.code];
    response.locals['refusal'] = refusal.code;
    if (status >= 500 && !loggedWhereItArises.has(refusal.code))
      app.log.error(
        { code: 'request.failed', refusal: refusal.code, error, ...loggedIds(ids) },
        'the request failed',
      );
    if (response.headersSent) return void response.destroy();
    if (retryAfterSeconds !== undefined) response.set('Retry-After', String(retryAfterSeconds));
    if (status === 401) response.set('WWW-Authenticate', 'Bearer');
    // What would be accepted instead (RFC 9110, 15.5.16).
    if (refusal.code === 'unsupported_content_encoding') response.set('Accept-Encoding', 'identity');
    sendJson(response, status, bodyOf(refusal, shownId(ids)));
  };

const bodyOf = ({ message, code, details }: Refusal, id: string): ApiError => ({
  error: message,
  code,
  requestId: id,
  ...(details && { details }),
});

/** @returns a fault of ours, where the contract does not declare this answer for the operation. */
function brokenPromise(
  contract: Contract,
  operation: Operation | undefined,
  body: ApiError,
  cause: unknown,
): Error | null {
  // These answers are declared for every address: nothing here, or not by this method.
  if (!operation) return null;
  try {
    contract.assertPromised(operation, refusals[body.code].status, body);
    return null;
  } catch (fault) {
    return new Error((fault as Error).message, { cause });
  }
}

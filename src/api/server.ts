// Assembles the HTTP server: the steps before and after the contract handles a request.

import cors from 'cors';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import type { Operation } from 'openapi-backend';
import document from '../../openapi/generated/openapi.json' with { type: 'json' };
import type { ApiError } from '../../openapi/generated/openapi.ts';
import type { Log } from '../domain/log.ts';
import { invalid, type Refusal, refusals } from '../domain/refusals.ts';
import { admit, endTurn, type Gates, holdUntaken } from './admission.ts';
import type { Authenticate } from './authenticate.ts';
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
  { config, log }: { config: { corsOrigins: string[]; bodyLimitBytes: number }; log: Log },
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
  server.use((request, _response, next) => {
    Object.assign(request, { matched: contract.match(request.method, request.path) });
    next();
  });
  server.use(addressed);
  const pages = docsRouter(document);
  // The documentation pages are served only if the contract has no operation for the request.
  server.use((request, response, next) =>
    (request as Admitted).matched ? next() : pages(request, response, next),
  );
  if (config.corsOrigins.length > 0)
    server.use(
      cors({
        origin: config.corsOrigins,
        exposedHeaders: ['Link', 'Retry-After', 'X-Request-Id'],
        maxAge: 600,
      }),
    );
  server.use(admit(config, callers, { turns, bytes }));
  server.use(async (incoming, response) => {
    const request = incoming as Admitted;
    try {
      await contract.answer(request, response);
      holdUntaken(request, response, bytes);
    } catch (fault) {
      throw errorOf(fault);
    } finally {
      endTurn(request);
    }
  });
  server.use(answerRefusal(log, contract));
  return server;
}

/**
 * Wraps a thrown value that is not an Error. Express ignores a falsy value and treats some strings as
 * a request to continue routing.
 */
const errorOf = (fault: unknown): Error =>
  fault instanceof Error ? fault : new Error('a value that is not an Error was thrown', { cause: fault });

/**
 * Refuses a request without a Host header or with several (RFC 9112, 3.2). If there are two, a proxy in front may have used the
 * other one. The raw headers are counted, because Node shows only the first Host header.
 */
const addressed: RequestHandler = (request, _response, next) => {
  const hosts = request.rawHeaders.filter((name, at) => at % 2 === 0 && /^host$/i.test(name)).length;
  if (hosts === 0 && request.httpVersion !== '1.0') throw invalid('/headers/host', 'is required');
  if (hosts > 1) throw invalid('/headers/host', 'is there more than once');
  next();
};

/**
 * Refusals that are not logged for each request, because clients cause them as often as they send requests. The underlying fault is
 * logged where it occurs: once per cool-down (key-set.ts), or when an overload begins (overload.ts).
 */
const loggedWhereItArises: ReadonlySet<string> = new Set(['identity_provider_unavailable', 'overloaded']);

// Express recognises an error handler by its four parameters.
const answerRefusal =
  (log: Log, contract: Contract): ErrorRequestHandler =>
  (raised, request, response, _next) => {
    const ids = request as unknown as Identified;
    const operation = (request as Partial<Admitted>).matched?.operation;
    const body = bodyOf(refusalOf(raised), shownId(ids));
    const error: unknown = brokenPromise(contract, operation, body, raised) ?? raised;
    const refusal = refusalOf(error);
    const { status, retryAfterSeconds } = refusals[refusal.code];
    response.locals['refusal'] = refusal.code;
    if (status >= 500 && !loggedWhereItArises.has(refusal.code))
      log.error(
        { code: 'request.failed', refusal: refusal.code, error, ...loggedIds(ids) },
        'the request failed',
      );
    if (response.headersSent) return void response.destroy();
    if (retryAfterSeconds !== undefined) response.set('Retry-After', String(retryAfterSeconds));
    if (status === 401) response.set('WWW-Authenticate', 'Bearer');
    // Names the encoding that is accepted instead (RFC 9110, 15.5.16).
    if (refusal.code === 'unsupported_content_encoding') response.set('Accept-Encoding', 'identity');
    sendJson(response, status, bodyOf(refusal, shownId(ids)));
  };

const bodyOf = ({ message, code, details }: Refusal, id: string): ApiError => ({
  error: message,
  code,
  requestId: id,
  ...(details && { details }),
});

/** Returns an error if the contract does not declare this refusal for the operation, and null if it does. */
function brokenPromise(
  contract: Contract,
  operation: Operation | undefined,
  body: ApiError,
  cause: unknown,
): Error | null {
  // 404 and 405 are declared for every path that has no such operation.
  if (!operation) return null;
  try {
    contract.assertPromised(operation, refusals[body.code].status, body);
    return null;
  } catch (fault) {
    return new Error((fault as Error).message, { cause });
  }
}

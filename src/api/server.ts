// Assembles the HTTP server: the steps before and after the contract handles a request.

import cors from 'cors';
import express, { type ErrorRequestHandler, type Express, type Request } from 'express';
import type { Operation } from 'openapi-backend';
import document from '../../openapi/generated/openapi.json' with { type: 'json' };
import type { ApiError } from '../../openapi/generated/openapi.ts';
import sandboxValues from '../../openapi/generated/sandbox-values.json' with { type: 'json' };
import type { Language } from '../domain/language.ts';
import type { Log } from '../domain/log.ts';
import { reasonOf } from '../domain/reason-of.ts';
import { invalid, type Refusal, refusalSentence, refusals } from '../domain/refusals.ts';
import { isUnsent } from '../provider/errors.ts';
import { createAdmit, endTurn, type Gates, holdUntaken } from './admission.ts';
import type { Authenticate } from './authenticate.ts';
import { LateBody } from './body.ts';
import type { ByteBudget } from './byte-budget.ts';
import type { ClientAddresses } from './client-address.ts';
import type { Contract } from './contract.ts';
import { docsRouter } from './docs.ts';
import { refusalOf } from './errors.ts';
import { languageOf, setLanguage } from './language.ts';
import { answerLate } from './malformed-http.ts';
import { sendJson } from './reply.ts';
import type { ApiRequest } from './request.ts';
import { assignIds, loggedIds, shownId } from './request-id.ts';
import { createRequestShares, type RequestLimits } from './request-shares.ts';
import { responseHeaders } from './response-headers.ts';
import { boundUnreadBody } from './unread-body.ts';

export function createServer(
  {
    config,
    log,
  }: { config: { corsOrigins: string[]; bodyLimitBytes: number; isBesideSandbox: boolean }; log: Log },
  contract: Contract,
  callers: { authenticate: Authenticate; gates: Gates },
  { addresses, bytes }: { addresses: ClientAddresses; bytes: ByteBudget },
  limits?: RequestLimits,
): Express {
  const turns = createRequestShares(limits);
  const server = express();
  server.disable('x-powered-by');
  server.disable('etag');
  server.use(boundUnreadBody);
  server.use(responseHeaders);
  server.use((request, response, next) => {
    const ids = assignIds(request);
    const operation = contract.match(request.method, request.path);
    Object.assign(request, ids, { operation, address: addresses.of(request) });
    response.set('X-Request-Id', shownId(ids));
    assertOneHost(request);
    next();
  });
  const pages = docsRouter(document, config.isBesideSandbox ? sandboxValues : null);
  // The documentation pages are served only if the contract has no operation for the request.
  server.use((request, response, next) =>
    (request as ApiRequest).operation ? next() : pages(request, response, next),
  );
  if (config.corsOrigins.length > 0)
    server.use(
      cors({
        origin: config.corsOrigins,
        exposedHeaders: ['Link', 'Retry-After', 'X-Request-Id'],
        maxAge: 600,
      }),
    );
  const admit = createAdmit(config, callers, { turns, bytes });
  server.use(async (incoming, response) => {
    const request = incoming as ApiRequest;
    try {
      await admit(request, response);
      await contract.answer(request, response);
      holdUntaken(request, response, bytes);
    } catch (fault) {
      if (fault instanceof LateBody) return answerLate(response, shownId(request));
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
function assertOneHost({ rawHeaders, httpVersion }: Request): void {
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && /^host$/i.test(name)).length;
  if (hosts === 0 && httpVersion !== '1.0') throw invalid('/headers/host', 'is required');
  if (hosts > 1) throw invalid('/headers/host', 'is there more than once');
}

/**
 * Refusals that are not logged for each request, because clients cause them as often as they send requests. The underlying fault is
 * logged where it occurs: once per cool-down (key-set.ts), or when an overload begins (overload.ts).
 */
const loggedWhereItArises: ReadonlySet<string> = new Set(['identity_provider_unavailable', 'overloaded']);

const UNSENT_LINE_EVERY_MS = 10_000;

/**
 * Returns a function for requests that were refused because a call to the provider was not sent: no slot became free, the circuit is
 * open, or the provider has asked to wait. Load and outages cause them by the thousand, so they share one line in ten seconds, without
 * a stack trace. `ponte_provider_calls_total` counts each such call as `not_sent`.
 */
function sampleUnsent(log: Log): (reason: string, ids: object) => void {
  let [requests, nextAtMs] = [0, 0];
  return (reason, ids) => {
    requests += 1;
    const nowMs = performance.now();
    if (nowMs < nextAtMs) return;
    log.warn(
      { code: 'request.unsent', reason, requests, ...ids },
      'requests were refused because a call to the provider was not sent',
    );
    [requests, nextAtMs] = [0, nowMs + UNSENT_LINE_EVERY_MS];
  };
}

// Express recognises an error handler by its four parameters.
function answerRefusal(log: Log, contract: Contract): ErrorRequestHandler {
  const logUnsent = sampleUnsent(log);
  return (raised, incoming, response, _next) => {
    const request = incoming as ApiRequest;
    const language = languageOf(request);
    const body = bodyOf(refusalOf(raised), language, shownId(request));
    const error: unknown = undeclaredResponse(contract, request.operation, body, raised) ?? raised;
    const refusal = refusalOf(error);
    const { status } = refusals[refusal.code];
    const { retryAfterSeconds } = refusal;
    response.locals['refusal'] = refusal.code;
    if (isUnsent(refusal.cause)) logUnsent(refusal.cause.message, loggedIds(request));
    else if (refusal.code === 'internal_error')
      log.error(
        { code: 'request.failed', refusal: refusal.code, error, ...loggedIds(request) },
        'the request failed',
      );
    else if (status >= 500 && !loggedWhereItArises.has(refusal.code))
      log.warn(
        { code: 'request.failed', refusal: refusal.code, reason: reasonOf(error), ...loggedIds(request) },
        'the request failed',
      );
    if (response.headersSent) return void response.destroy();
    if (retryAfterSeconds !== undefined) response.set('Retry-After', String(retryAfterSeconds));
    if (status === 401) response.set('WWW-Authenticate', 'Bearer');
    // Names the encoding that is accepted instead (RFC 9110, 15.5.16).
    if (refusal.code === 'unsupported_content_encoding') response.set('Accept-Encoding', 'identity');
    setLanguage(response, language);
    sendJson(response, status, bodyOf(refusal, language, shownId(request)));
  };
}

const bodyOf = (
  { code, details, payoutFailure, checkId }: Refusal,
  language: Language,
  id: string,
): ApiError => ({
  error: refusalSentence(code, language),
  code,
  requestId: id,
  ...(details && { details }),
  ...(payoutFailure && { payoutFailure }),
  ...(checkId !== undefined && { checkId }),
});

/** Returns an error if the contract does not declare this refusal for the operation, and null if it does. */
function undeclaredResponse(
  contract: Contract,
  operation: Operation | undefined,
  body: ApiError,
  cause: unknown,
): Error | null {
  // 404 and 405 are declared for every path that has no such operation.
  if (!operation) return null;
  try {
    contract.assertDeclared(operation, refusals[body.code].status, body);
    return null;
  } catch (fault) {
    return new Error((fault as Error).message, { cause });
  }
}

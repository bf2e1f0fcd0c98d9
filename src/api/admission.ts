// Authenticates the caller before the body is read. Refusing an anonymous caller must be cheap, so the session (or the operation's
// gate) is checked before a byte of the body is read, and 401 takes precedence over every other error.
// An authenticated request waits for its turn among its user's requests before the database is read.

import type { RequestHandler, Response } from 'express';
import type { Operation } from 'openapi-backend';
import type { Db } from '../platform/database/orm.ts';
import type { Caller } from '../platform/sql/users.ts';
import { expectedBytes, hasBody, readBody } from './body.ts';
import { parseBounded } from './bounded-json.ts';
import type { ByteBudget } from './byte-budget.ts';
import type { GateInput, Gates } from './gate.ts';
import type { CallerRead, OperationId } from './operation.ts';
import type { Admitted, Matched } from './request.ts';
import { type RequestShares, weightOfPage } from './request-shares.ts';

/** Reads the user's row together with the operation's rows. */
export type ReadCaller = (db: Db) => ReturnType<CallerRead>;

/**
 * Authenticates a request by its session token.
 * @param readFor returns the function that reads the user's row and the operation's rows, or null if only the user's row is read.
 * @param takeTurn is awaited after the session token is verified and before anything is read from the database.
 * @throws Refusal `unauthorized`, `account_closed` or `too_many_requests`
 */
export type Authenticate = (
  asked: { authorization: string | undefined; operationId: OperationId; requestId: string },
  readFor: (userId: string) => ReadCaller | null,
  takeTurn: (userId: string) => Promise<void>,
) => Promise<{ user: Caller; rows?: unknown }>;

/**
 * If reading the body takes longer than this, the caller is authenticated again: the account may have
 * been closed or the secret revoked.
 */
const RECHECK_AFTER_MS = 1_000;

export function admit(
  config: { bodyLimitBytes: number },
  { authenticate, gates }: { authenticate: Authenticate; gates: Gates },
  { turns, bytes }: { turns: RequestShares; bytes: ByteBudget },
): RequestHandler {
  const authenticateUser = async (
    request: Admitted,
    { id: operationId, inputOf, read }: Matched,
  ): Promise<void> => {
    const { authorization } = request.headers;
    // Report errors in the rest of the request only to authenticated callers.
    let fault: unknown = null;
    const readFor = (userId: string): ReadCaller | null => {
      if (!read) return null;
      try {
        const input = inputOf(request);
        request.input = input;
        return (db) => read(db, userId, input as never);
      } catch (thrown) {
        fault = thrown;
        return null;
      }
    };
    const asked = { authorization, operationId, requestId: request.id };
    const known = await authenticate(asked, readFor, request.takeTurn);
    Object.assign(request, known);
    if (fault !== null) throw fault;
  };

  /**
   * Reads the body without holding a turn, so a slow client does not block its user's other requests. The byte budget counts the
   * body's bytes until the request has a turn again.
   */
  const readSlowly = async (request: Admitted, response: Response, operation: Operation): Promise<Buffer> => {
    const { bodyLimitBytes } = config;
    const userId = request.user?.id ?? null;
    const client = { userId, response, close: () => request.socket.destroy() };
    endTurn(request);
    const release = await bytes.toRead(client, expectedBytes(request, operation, bodyLimitBytes));
    try {
      const rawBody = await readBody(request, response, operation, bodyLimitBytes);
      if (userId !== null) await request.takeTurn(userId);
      return rawBody;
    } finally {
      release();
    }
  };

  const admitRequest = async (request: Admitted, response: Response, matched: Matched): Promise<void> => {
    const { id: operationId, operation } = matched;
    const gate = gates[operationId];
    const asked = {
      params: gate ? paramsOrNone(matched, request.path) : {},
      headers: request.headers,
      requestId: request.id,
    };
    const authenticateCaller = async (): Promise<void> => {
      if (matched.needsSession) await authenticateUser(request, matched);
      await gate?.beforeBody(asked);
    };
    await authenticateCaller();
    if (!operation.requestBody) return;
    const begunAt = performance.now();
    // A caller that passed a gate is the provider, which has shown its secret. The byte budget does not apply to its callbacks.
    const isBounded = hasBody(request) && !request.complete && !gate;
    const rawBody = isBounded
      ? await readSlowly(request, response, operation)
      : await readBody(request, response, operation, config.bodyLimitBytes);
    if (performance.now() - begunAt > RECHECK_AFTER_MS) await authenticateCaller();
    await gate?.beforeParsing({ ...asked, rawBody });
    request.rawBody = rawBody;
    if (rawBody.length > 0) request.body = parseBounded(rawBody);
  };
  return async (incoming, response, next) => {
    const request = incoming as Admitted;
    const { matched } = request;
    request.takeTurn = async (user) => {
      request.turn ??= await turns.enter(user, weightOfPage(request.query['limit']), response);
    };
    try {
      // If no operation matches, the body stays unread: an unknown path is a 404 whatever the body is.
      if (matched) await admitRequest(request, response, matched);
    } catch (error) {
      endTurn(request);
      throw error;
    }
    next();
  };
}

/**
 * Ends the request's turn, if it has one. Call it when no more work runs for the request. A client's disconnect does not end the
 * turn, because the work that it started continues.
 */
export function endTurn(request: Admitted): void {
  request.turn?.();
  delete request.turn;
}

/** Counts the bytes of the response that the client has not read yet, until it has read all of them or disconnects. */
export function holdUntaken(request: Admitted, response: Response, bytes: ByteBudget): void {
  if (response.closed || response.writableFinished) return;
  const close = (): void => void request.socket.destroy();
  bytes.toSend({ userId: request.user?.id ?? null, response, close }, response.writableLength);
}

/** Returns the path parameters. Returns none if an escape in the path cannot be decoded, because such a path identifies nothing. */
function paramsOrNone({ paramsIn }: Matched, path: string): GateInput['params'] {
  try {
    return paramsIn(path);
  } catch {
    return {};
  }
}

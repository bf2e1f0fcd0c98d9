// Authenticates the caller before the body is read. Refusing an anonymous caller must cost next to nothing, so the
// session, or the operation's gate, is checked before a byte of the body is read; and 401 precedes every other fault. A
// known caller's request waits for its turn among that person's before anything is read from the database.
import type { RequestHandler, Response } from 'express';
import type { Operation } from 'openapi-backend';
import type { App } from '../app.ts';
import type { Db } from '../database/orm.ts';
import type { Entity } from '../entities/rows.ts';
import type { Asked, Gates } from '../handlers/gate.ts';
import type { OperationId } from '../handlers/operation.ts';
import { expectedBytes, hasBody, readBody } from './body.ts';
import { parseBounded } from './bounded-json.ts';
import type { ByteBudget } from './byte-budget.ts';
import type { Admitted, Matched } from './request.ts';
import { type RequestShares, weightOfPage } from './request-shares.ts';

/** Reads rows of the user, on the connection that reads the user's row. */
export type ReadRows = (db: Db) => Promise<unknown>;

/**
 * @param readFor returns what reads the operation's rows, or null if the operation has none.
 * @param takeTurn is awaited when the session is verified, before anything is read.
 * @throws Refusal `unauthorized`, `account_closed` or `too_many_requests`
 */
export type Authenticate = (
  asked: { authorization: string | undefined; operationId: OperationId; requestId: string },
  readFor: (userId: string) => ReadRows | null,
  takeTurn: (userId: string) => Promise<void>,
) => Promise<{ user: Entity<'User'>; rows?: unknown }>;

/** After a slower body the right to send it is checked again: the account may be closed, the secret revoked. */
const RECHECK_AFTER_MS = 1_000;

export function admit(
  app: App,
  { authenticate, gates }: { authenticate: Authenticate; gates: Gates },
  { turns, bytes }: { turns: RequestShares; bytes: ByteBudget },
): RequestHandler {
  const authenticateUser = async (
    request: Admitted,
    { id: operationId, inputOf, read }: Matched,
  ): Promise<void> => {
    const { authorization } = request.headers;
    // Faults of the rest of the request are reported only to authenticated callers.
    let fault: unknown = null;
    const readFor = (userId: string): ReadRows | null => {
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

  /** A slow body has no turn while it is read: its bytes count instead, until the request has a turn again. */
  const readSlowly = async (request: Admitted, response: Response, operation: Operation): Promise<Buffer> => {
    const { bodyLimitBytes } = app.config;
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
      await gate?.beforeBody(asked, app);
    };
    await authenticateCaller();
    if (!operation.requestBody) return;
    const begunAt = performance.now();
    // The provider has shown its secret: its callbacks are not bounded like other people's requests.
    const isBounded = hasBody(request) && !request.complete && !gate;
    const rawBody = isBounded
      ? await readSlowly(request, response, operation)
      : await readBody(request, response, operation, app.config.bodyLimitBytes);
    if (performance.now() - begunAt > RECHECK_AFTER_MS) await authenticateCaller();
    await gate?.beforeParsing({ ...asked, rawBody }, app);
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
      // Without an operation the body stays unread: an unknown address is a 404 with any body.
      if (matched) await admitRequest(request, response, matched);
    } catch (error) {
      endTurn(request);
      throw error;
    }
    next();
  };
}

/**
 * Ends the request's turn, where it has one. Called when nothing works on the request any more: a client that has disconnected
 * does not end what it began.
 */
export function endTurn(request: Admitted): void {
  request.turn?.();
  delete request.turn;
}

/** Counts what the client has not taken of its answer yet, until it has taken all. */
export function holdUntaken(request: Admitted, response: Response, bytes: ByteBudget): void {
  if (response.closed || response.writableFinished) return;
  const close = (): void => void request.socket.destroy();
  bytes.toSend({ userId: request.user?.id ?? null, response, close }, response.writableLength);
}

/** Empty where an escape in the path cannot be decoded, for then it identifies nothing. */
function paramsOrNone({ paramsIn }: Matched, path: string): Asked['params'] {
  try {
    return paramsIn(path);
  } catch {
    return {};
  }
}

// Authenticates the caller before the body is read. Refusing an anonymous caller must be cheap, so the session (or the operation's
// gate) is checked before a byte of the body is read, and 401 takes precedence over every other error.
// An authenticated request waits for its turn among its user's requests before the database is read.

import type { IncomingHttpHeaders } from 'node:http';
import type { RequestHandler, Response } from 'express';
import type { Authenticate } from './authenticate.ts';
import { hasBody, LateBody, readBody } from './body.ts';
import { parseBounded } from './bounded-json.ts';
import type { ByteBudget } from './byte-budget.ts';
import { answerLate } from './malformed-http.ts';
import type { OperationId } from './operation.ts';
import type { Admitted, Matched, TakeTurn } from './request.ts';
import { shownId } from './request-id.ts';
import { type RequestShares, weightOfPage } from './request-shares.ts';

/** The parts of a request that are known before its body is read. */
type GateInput = { params: Record<string, string>; headers: IncomingHttpHeaders; requestId: string };

/** Authorises an operation that needs no session, in two steps. Each step throws a Refusal. */
export type Gate = {
  /** Checks the path and the headers. The body of a request that fails here is not read. */
  beforeBody: (asked: GateInput) => Promise<void>;
  /** Checks the body's bytes as received, before they are parsed. */
  beforeParsing: (asked: GateInput & { rawBody: Buffer }) => Promise<void>;
};
export type Gates = Partial<Record<OperationId, Gate>>;

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
  /** Reads the body. A body that has not arrived yet is read without a turn, so a slow client does not delay its user's other requests. */
  const read = async (request: Admitted, response: Response, mostBytes: number): Promise<Buffer> => {
    const declared = Number(request.headers['content-length'] ?? mostBytes);
    const counted = bytes.toRead(clientOf(request, response), Math.min(declared, mostBytes));
    const arrival = { ...counted, lateAfterMs: bytes.lateAfterMs };
    if (request.complete) return readBody(request, response, mostBytes, arrival);
    endTurn(request);
    const rawBody = await readBody(request, response, mostBytes, arrival);
    if (request.user) await request.takeTurn(request.user.id);
    return rawBody;
  };

  const admitRequest = async (request: Admitted, response: Response, matched: Matched): Promise<void> => {
    const { id, operation, needsSession } = matched;
    const gate = gates[id];
    const asked = {
      params: gate ? paramsOrNone(matched, request.path) : {},
      headers: request.headers,
      requestId: request.id,
    };
    const authenticateCaller = async (): Promise<void> => {
      if (needsSession) await authenticate(request, matched);
      await gate?.beforeBody(asked);
    };
    await authenticateCaller();
    const body = operation.requestBody as { 'x-max-bytes'?: number } | undefined;
    if (!body) return;
    const mostBytes = body['x-max-bytes'] ?? config.bodyLimitBytes;
    const begunAt = performance.now();
    // A caller that passed a gate is the provider, which has shown its secret. The byte budget does not apply to its callbacks.
    request.hasPassedGate = gate !== undefined;
    const rawBody =
      gate || !hasBody(request)
        ? await readBody(request, response, mostBytes, null)
        : await read(request, response, mostBytes);
    if (performance.now() - begunAt > RECHECK_AFTER_MS) await authenticateCaller();
    await gate?.beforeParsing({ ...asked, rawBody });
    request.rawBody = rawBody;
    if (rawBody.length > 0) request.body = parseBounded(rawBody);
  };
  return async (incoming, response, next) => {
    const request = incoming as Admitted;
    const { matched } = request;
    // V8 allocates a function literal that is assigned to a property in the old generation, and this one refers to the request. Only a
    // full collection would free the request and its rows, so the function gets a variable first.
    const takeTurn: TakeTurn = async (user) => {
      request.turn ??= await turns.enter(user, weightOfPage(request.query['limit']), response);
    };
    request.takeTurn = takeTurn;
    try {
      // If no operation matches, the body stays unread: an unknown path is a 404 whatever the body is.
      if (matched) await admitRequest(request, response, matched);
    } catch (error) {
      endTurn(request);
      if (error instanceof LateBody) return answerLate(response, shownId(request));
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
  request.turn?.end();
  request.turn = undefined;
}

/** The client whose bytes count. Callers without a session share the limit of their address. */
const clientOf = (request: Admitted, response: Response) => ({
  holder: request.user?.id ?? request.address,
  connection: request.socket,
  response,
  close: () => void request.socket.destroy(),
});

/** Counts the bytes of the response that the client has not read yet, until it has read all of them or disconnects. */
export function holdUntaken(request: Admitted, response: Response, bytes: ByteBudget): void {
  if (response.closed || response.writableLength === 0) return;
  bytes.toSend(clientOf(request, response), response.writableLength);
}

/** Returns the path parameters. Returns none if an escape in the path cannot be decoded, because such a path identifies nothing. */
function paramsOrNone({ paramsIn }: Matched, path: string): GateInput['params'] {
  try {
    return paramsIn(path);
  } catch {
    return {};
  }
}

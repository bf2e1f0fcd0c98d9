// Authenticates the caller before the body is read. Refusing an anonymous caller must be cheap, so the session (or the operation's
// gate) is checked before a byte of the body is read, and 401 takes precedence over every other error.
// An authenticated request waits for its turn among its user's requests before the database is read.

import type { IncomingHttpHeaders } from 'node:http';
import type { Response } from 'express';
import type { Authenticate } from './authenticate.ts';
import { hasBody, readBody } from './body.ts';
import { parseBounded } from './bounded-json.ts';
import type { ByteBudget } from './byte-budget.ts';
import type { OperationId } from './operation.ts';
import type { ApiOperation, ApiRequest, TakeTurn } from './request.ts';
import { type RequestShares, weightOfPage } from './request-shares.ts';

/** The parts of a request that are known before its body is read. */
type GateInput = { params: Record<string, string>; headers: IncomingHttpHeaders; requestId: string };

/** Authorises an operation that needs no session, in two steps. Each step throws a Refusal. */
export type Gate = {
  /** Checks the path and the headers. The body of a request that fails here is not read. */
  beforeBody: (input: GateInput) => Promise<void>;
  /** Checks the body's bytes as received, before they are parsed. */
  beforeParsing: (input: GateInput & { rawBody: Buffer }) => Promise<void>;
};
export type Gates = Partial<Record<OperationId, Gate>>;

/**
 * If reading the body takes longer than this, the caller is authenticated again: the account may have
 * been closed or the secret revoked.
 */
const RECHECK_AFTER_MS = 1_000;

/** Admits a request to its handler, or throws. @throws Refusal, LateBody */
export type Admit = (request: ApiRequest, response: Response) => Promise<void>;

export function createAdmit(
  config: { bodyLimitBytes: number },
  { authenticate, gates }: { authenticate: Authenticate; gates: Gates },
  { turns, bytes }: { turns: RequestShares; bytes: ByteBudget },
): Admit {
  /** Reads the body. A body that has not arrived yet is read without a turn, so a slow client does not delay its user's other requests. */
  const read = async (request: ApiRequest, response: Response, maxBytes: number): Promise<Buffer> => {
    const declared = Number(request.headers['content-length'] ?? maxBytes);
    const counted = bytes.toRead(clientOf(request, response), Math.min(declared, maxBytes));
    const arrival = { ...counted, lateAfterMs: bytes.lateAfterMs };
    if (request.complete) return readBody(request, response, maxBytes, arrival);
    endTurn(request);
    const rawBody = await readBody(request, response, maxBytes, arrival);
    if (request.user) await request.takeTurn(request.user.id);
    return rawBody;
  };

  return async (request, response) => {
    const { operation } = request;
    // If no operation matches, the body stays unread: an unknown path is a 404 whatever the body is.
    if (!operation) return;
    // V8 allocates a function literal that is assigned to a property in the old generation, and this one refers to the request. Only a
    // full collection would free the request and its rows, so the function gets a variable first.
    const takeTurn: TakeTurn = async (user) => {
      request.turn ??= await turns.enter(user, weightOfPage(request.query['limit']), response);
    };
    request.takeTurn = takeTurn;
    const gate = gates[operation.operationId];
    const input = {
      params: gate ? paramsOrNone(operation, request.path) : {},
      headers: request.headers,
      requestId: request.id,
    };
    const authenticateCaller = async (): Promise<void> => {
      if (operation.needsSession) await authenticate(request, operation);
      await gate?.beforeBody(input);
    };
    await authenticateCaller();
    const body = operation.requestBody as { 'x-max-bytes'?: number } | undefined;
    if (!body) return;
    const maxBytes = body['x-max-bytes'] ?? config.bodyLimitBytes;
    const begunAt = performance.now();
    // A caller that passed a gate is the provider, which has shown its secret. The byte budget does not apply to its callbacks.
    request.hasPassedGate = gate !== undefined;
    const rawBody =
      gate || !hasBody(request)
        ? await readBody(request, response, maxBytes, null)
        : await read(request, response, maxBytes);
    if (performance.now() - begunAt > RECHECK_AFTER_MS) await authenticateCaller();
    await gate?.beforeParsing({ ...input, rawBody });
    request.rawBody = rawBody;
    if (rawBody.length > 0) request.body = parseBounded(rawBody);
  };
}

/**
 * Ends the request's turn, if it has one. Call it when no more work runs for the request. A client's disconnect does not end the
 * turn, because the work that it started continues.
 */
export function endTurn(request: ApiRequest): void {
  request.turn?.end();
  request.turn = undefined;
}

/** The client whose bytes count. Callers without a session share the limit of their address. */
const clientOf = (request: ApiRequest, response: Response) => ({
  holder: request.user?.id ?? request.address,
  connection: request.socket,
  response,
  close: () => void request.socket.destroy(),
});

/** Counts the bytes of the response that the client has not read yet, until it has read all of them or disconnects. */
export function holdUntaken(request: ApiRequest, response: Response, bytes: ByteBudget): void {
  if (response.closed || response.writableLength === 0) return;
  bytes.toSend(clientOf(request, response), response.writableLength);
}

/** Returns the path parameters. Returns none if an escape in the path cannot be decoded, because such a path identifies nothing. */
function paramsOrNone({ paramsIn }: ApiOperation, path: string): GateInput['params'] {
  try {
    return paramsIn(path);
  } catch {
    return {};
  }
}

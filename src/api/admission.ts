// Authenticates the caller before the body is read. Refusing an anonymous caller must cost next to nothing, so the
// session, or the operation's gate, is checked before a byte of the body is read; and 401 precedes every other fault. A
// known caller's request waits for its turn among that person's before anything is read from the database.
import type { RequestHandler, Response } from 'express';
import type { App } from '../app.ts';
import type { UserRow } from '../entities/rows.ts';
import type { Asked, Gates } from '../handlers/gate.ts';
import type { OperationId, ReadBeside } from '../handlers/operation.ts';
import type { Rows } from '../queries/rows.ts';
import { readBody } from './body.ts';
import { parseBounded } from './bounded-json.ts';
import { createPersonLimit } from './person-limit.ts';
import type { Admitted, Matched } from './request.ts';

/** Rows, and whether those of a replica will do. */
export type Reads = { rows: Rows; suffices: ReadBeside['suffices'] };

/**
 * @param reads gives what is to be read with the user's row, in the same statement; null where there is nothing.
 * @param takeTurn is awaited when the session is verified, before anything is read.
 * @throws Refusal `unauthorized`, `account_closed` or `too_many_requests`
 */
export type Authenticate = (
  asked: { authorization: string | undefined; operationId: OperationId; requestId: string },
  reads: (userId: string) => Reads | null,
  takeTurn: (userId: string) => Promise<void>,
) => Promise<{ user: UserRow; rows?: unknown }>;

/** After a slower body the right to send it is checked again: the account may be closed, the secret revoked. */
const RECHECK_AFTER_MS = 1_000;

export function admit(
  app: App,
  { authenticate, gates }: { authenticate: Authenticate; gates: Gates },
): RequestHandler {
  const limit = createPersonLimit();

  const authenticateUser = async (
    request: Admitted,
    response: Response,
    { id: operationId, inputOf, reads }: Matched,
  ): Promise<void> => {
    const { authorization } = request.headers;
    // Faults of the rest of the request are reported only to authenticated callers.
    let fault: unknown = null;
    const readsOf = (userId: string): Reads | null => {
      if (!reads) return null;
      try {
        request.input = inputOf(request);
        return { rows: reads.rowsOf(userId, request.input as never), suffices: reads.suffices };
      } catch (thrown) {
        fault = thrown;
        return null;
      }
    };
    const takeTurn = async (userId: string): Promise<void> => {
      request.leave ??= await limit.enter(userId, response);
    };
    const asked = { authorization, operationId, requestId: request.id };
    const known = await authenticate(asked, readsOf, takeTurn);
    Object.assign(request, known);
    if (fault !== null) throw fault;
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
      if (matched.needsSession) await authenticateUser(request, response, matched);
      await gate?.beforeBody(asked, app);
    };
    await authenticateCaller();
    if (!operation.requestBody) return;
    const begunAt = performance.now();
    const rawBody = await readBody(request, response, operation, app.config.bodyLimitBytes);
    if (performance.now() - begunAt > RECHECK_AFTER_MS) await authenticateCaller();
    await gate?.beforeParsing({ ...asked, rawBody }, app);
    request.rawBody = rawBody;
    if (rawBody.length > 0) request.body = parseBounded(rawBody);
  };
  return async (request, response, next) => {
    const { matched } = request as Admitted;
    try {
      // Without an operation the body stays unread: an unknown address is a 404 with any body.
      if (matched) await admitRequest(request as Admitted, response, matched);
    } catch (error) {
      leaveAfter(request as Admitted, response);
      throw error;
    }
    next();
  };
}

/**
 * Ends the request's turn when its answer has been taken: what a slow client has not read yet is memory of this process.
 * Called when nothing works on the request any more: a client that has disconnected does not end what it began.
 */
export function leaveAfter({ leave }: Admitted, response: Response): void {
  if (!leave) return;
  if (response.closed) leave();
  else response.once('close', leave);
}

/** Empty where an escape in the path cannot be decoded, for then it identifies nothing. */
function paramsOrNone({ paramsIn }: Matched, path: string): Asked['params'] {
  try {
    return paramsIn(path);
  } catch {
    return {};
  }
}

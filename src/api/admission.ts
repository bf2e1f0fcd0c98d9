// Authenticates the caller before the body is read. Refusing an anonymous caller must cost next to nothing, so the
// session, or the operation's gate, is checked before a byte of the body is read; and 401 precedes every other fault.
import type { RequestHandler, Response } from 'express';
import type { App } from '../app.ts';
import type { UserRow } from '../entities/rows.ts';
import type { Asked, Gates } from '../handlers/gate.ts';
import type { OperationId, ReadBeside } from '../handlers/operation.ts';
import type { Rows } from '../queries/rows.ts';
import { readBody } from './body.ts';
import { parseBounded } from './bounded-json.ts';
import type { Admitted, Matched } from './request.ts';

/** Rows, and whether those of a replica will do. */
export type Reads = { rows: Rows; suffices: ReadBeside['suffices'] };

/**
 * @param reads gives what is to be read with the user's row, in the same statement; null where there is nothing.
 * @throws Refusal `unauthorized` or `account_closed`
 */
export type Authenticate = (
  asked: { authorization: string | undefined; operationId: OperationId; requestId: string },
  reads: (userId: string) => Reads | null,
) => Promise<{ user: UserRow; rows?: unknown }>;

/** After a slower body the right to send it is checked again: the account may be closed, the secret revoked. */
const RECHECK_AFTER_MS = 1_000;

export function admit(
  app: App,
  { authenticate, gates }: { authenticate: Authenticate; gates: Gates },
): RequestHandler {
  const authenticateUser = async (
    request: Admitted,
    { id: operationId, inputOf, reads }: Matched,
  ): Promise<void> => {
    const { authorization } = request.headers;
    // Faults of the rest of the request are reported only to authenticated callers.
    let fault: unknown = null;
    const known = await authenticate({ authorization, operationId, requestId: request.id }, (userId) => {
      if (!reads) return null;
      try {
        request.input = inputOf(request);
        return { rows: reads.rowsOf(userId, request.input as never), suffices: reads.suffices };
      } catch (thrown) {
        fault = thrown;
        return null;
      }
    });
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
      if (matched.needsSession) await authenticateUser(request, matched);
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
    // Without an operation the body stays unread: an unknown address is a 404 with any body.
    if (matched) await admitRequest(request as Admitted, response, matched);
    next();
  };
}

/** Empty where an escape in the path cannot be decoded, for then it identifies nothing. */
function paramsOrNone({ paramsIn }: Matched, path: string): Asked['params'] {
  try {
    return paramsIn(path);
  } catch {
    return {};
  }
}

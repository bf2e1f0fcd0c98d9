// Who is let in, and only then what they bring. Refusing a stranger must cost next to nothing, so the session, or what an
// operation asks for in its place, is checked before a byte of the body is read; and 401 comes before any other fault.
import type { RequestHandler, Response } from 'express';
import type { App } from '../app.ts';
import type { UserRow } from '../entities/rows.ts';
import type { Asked, Gates } from '../handlers/gate.ts';
import type { OperationId } from '../handlers/operation.ts';
import type { Rows } from '../queries/rows.ts';
import { readBody } from './body.ts';
import { parseBounded } from './bounded-json.ts';
import type { Admitted, Matched } from './request.ts';

/**
 * @param reads gives what is to be read with the person, in the same statement; null where there is nothing.
 * @throws Refusal `unauthorized` or `account_closed`
 */
export type Authenticate = (
  asked: { authorization: string | undefined; operationId: OperationId; requestId: string },
  reads: (userId: string) => { rows: Rows; mayLag: boolean } | null,
) => Promise<{ user: UserRow; rows?: unknown }>;

/** A body that took longer may have outlived the right to send it: an account is closed, a secret revoked. */
const ASK_AGAIN_AFTER_MS = 1_000;

export function admit(
  app: App,
  { authenticate, gates }: { authenticate: Authenticate; gates: Gates },
): RequestHandler {
  const knowPerson = async (
    request: Admitted,
    { id: operationId, inputOf, reads }: Matched,
  ): Promise<void> => {
    const { authorization } = request.headers;
    // What is wrong with the rest of the request is said only to those who are let in.
    let fault: unknown = null;
    const known = await authenticate({ authorization, operationId, requestId: request.id }, (userId) => {
      if (!reads) return null;
      try {
        request.input = inputOf(request);
        return { rows: reads.rowsOf(userId, request.input as never), mayLag: reads.mayLag };
      } catch (thrown) {
        fault = thrown;
        return null;
      }
    });
    Object.assign(request, known);
    if (fault !== null) throw fault;
  };

  const takeIn = async (request: Admitted, response: Response, matched: Matched): Promise<void> => {
    const { id: operationId, operation } = matched;
    const gate = gates[operationId];
    const asked = {
      params: gate ? paramsOrNone(matched, request.path) : {},
      headers: request.headers,
      requestId: request.id,
    };
    const letIn = async (): Promise<void> => {
      if (matched.needsSession) await knowPerson(request, matched);
      await gate?.beforeBody(asked, app);
    };
    await letIn();
    if (!operation.requestBody) return;
    const begunAt = performance.now();
    const rawBody = await readBody(request, response, operation, app.config.bodyLimitBytes);
    if (performance.now() - begunAt > ASK_AGAIN_AFTER_MS) await letIn();
    await gate?.beforeParsing({ ...asked, rawBody }, app);
    request.rawBody = rawBody;
    if (rawBody.length > 0) request.body = parseBounded(rawBody);
  };
  return async (request, response, next) => {
    const { matched } = request as Admitted;
    // What no operation asks for stays unread: an address that does not exist is a 404 with any body.
    if (matched) await takeIn(request as Admitted, response, matched);
    next();
  };
}

/** None where an escape in the path cannot be decoded, for then it names nothing. */
function paramsOrNone({ paramsIn }: Matched, path: string): Asked['params'] {
  try {
    return paramsIn(path);
  } catch {
    return {};
  }
}

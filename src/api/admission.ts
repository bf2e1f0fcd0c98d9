// Who is let in, and only then what they bring. Refusing a stranger must cost next to nothing, so the session, or what an
// operation asks for in its place, is looked at before a byte of the body is read; and 401 comes before any other fault.
import type { IncomingHttpHeaders } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import type { OpenAPIBackend, Operation } from 'openapi-backend';
import type { App } from '../app.ts';
import { readBody } from './body.ts';
import { parseBounded } from './bounded-json.ts';
import type { OperationId, UserRow } from './operation.ts';
import { operationFor } from './routing.ts';

/** @throws Refusal `unauthorized` or `account_closed` */
export type Authenticate = (
  authorization: string | undefined,
  operationId: OperationId,
  requestId: string,
) => Promise<UserRow>;

/** What is known of a request before its body is read. */
export type Asked = { params: Record<string, string>; headers: IncomingHttpHeaders; requestId: string };

/** What an operation asks of its callers where it asks for no session. Each step throws a Refusal to turn one away. */
export type Gate = {
  /** By the address and the headers alone: nothing has been read from those who fail here. */
  beforeBody: (asked: Asked, app: App) => Promise<void>;
  /** With the bytes as they came, none of them parsed. */
  beforeParsing: (asked: Asked & { rawBody: Buffer }, app: App) => Promise<void>;
};
export type Gates = Partial<Record<OperationId, Gate>>;

/** What is found out here, for those who come after. */
export type Admitted = Request & { id: string; user?: UserRow; rawBody?: Buffer };

/** A body that took longer may have outlived the right to send it: an account is closed, a secret revoked. */
const ASK_AGAIN_AFTER_MS = 1_000;

export function admit(
  app: App,
  backend: OpenAPIBackend,
  { authenticate, gates }: { authenticate: Authenticate; gates: Gates },
): RequestHandler {
  const takeIn = async (request: Admitted, response: Response, operation: Operation): Promise<void> => {
    const operationId = operation.operationId as OperationId;
    const gate = gates[operationId];
    const asked = {
      params: gate ? paramsIn(backend, operation, request) : {},
      headers: request.headers,
      requestId: request.id,
    };
    const letIn = async (): Promise<void> => {
      if (operation.security?.length)
        request.user = await authenticate(request.headers.authorization, operationId, request.id);
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
    const operation = operationFor(backend, request.method, request.path);
    // What no operation asks for stays unread: an address that does not exist is a 404 with any body.
    if (operation) await takeIn(request as Admitted, response, operation);
    next();
  };
}

/** The parameters in the path; none where an escape in it cannot be decoded, for then it names nothing. */
function paramsIn(backend: OpenAPIBackend, operation: Operation, { method, path }: Request) {
  try {
    return backend.router.parseRequest({ method, path, headers: {} }, operation).params as Asked['params'];
  } catch {
    return {};
  }
}

// Handles one request by the contract: finds the operation by the rules of openapi-backend's router, validates the request, calls
// the handler and validates the response. openapi-backend's own `handleRequest` would parse a request three times and match its
// operation twice more (docs/decisions/0009-requests-by-validate-request.md). test/api/plain-handling.test.ts compares the two.

import type { Response } from 'express';
import type { OpenAPIBackend, Operation } from 'openapi-backend';
import { createFinder, type FindOperation, paramsReader } from '../../openapi/find-operation.ts';
import { Refusal } from '../domain/refusals.ts';
import type { AuditLog } from '../platform/security/audit-log.ts';
import { recordRefusal } from '../platform/security/audit-refusals.ts';
import type { Caller } from '../platform/sql/users.ts';
import { runInteractively } from '../provider/call-priority.ts';
import { createBackend } from './backend.ts';
import { createInputReader } from './input.ts';
import type { CallerRead, Handlers, OperationId } from './operation.ts';
import { type Answer, assertPromised, sendJson } from './reply.ts';
import type { Admitted, Input, Matched, TakeTurn } from './request.ts';

export type Contract = {
  /** Returns the operation of a request. It is matched once, when the request arrives. */
  match: (method: string | undefined, path: string) => Matched | undefined;
  /** Calls the handler and sends its response. @throws Refusal, or the error that the handler throws. */
  answer: (request: Admitted, response: Response) => Promise<void>;
  /** Asserts that the operation declares this response. @throws Error if it does not. */
  assertPromised: (operation: Operation, status: number, body: unknown) => void;
};

/**
 * Prepares every operation of the contract.
 * @param services the dependencies that the handlers need.
 * @throws Error if an operation has no handler.
 */
export async function createContract<Services extends { auditLog: AuditLog }>(
  services: Services,
  handlers: Handlers<Services>,
): Promise<Contract> {
  const api = await createBackend();
  const operations = new Map(
    api.router.getOperations().map((one) => [one.operationId, prepare(api, one, handlers)]),
  );
  for (const id of operations.keys()) if (!(String(id) in handlers)) throw new Error(`no handler for ${id}`);
  const find = createFinder(api.router);
  const match: Contract['match'] = (method, path) => {
    const found = find(routedMethod(method), path);
    return found && operations.get(found.operationId);
  };

  const callHandler = async ({ id }: Matched, input: AuthenticatedInput): Promise<Answer> => {
    try {
      return await (handlers[id] as unknown as AnyHandler<Services>)(input, services);
    } catch (error) {
      recordRefusal(services.auditLog, id, input, error);
      throw error;
    }
  };

  return {
    match,
    assertPromised: (operation, status, body) => assertPromised(api, operation, status, body),
    answer: async (request, response) => {
      const { matched, user, takeTurn } = request;
      if (!matched) throw refusedAddress(find, request.path, response);
      // admission.ts has authenticated the caller before. Without a user, run nothing.
      if (matched.needsSession && !user) throw new Refusal('unauthorized');
      const input = request.input ?? matched.inputOf(request);
      const all = { ...input, user, rows: request.rows, takeTurn };
      const { status, body, headers } = await runInteractively(user?.id ?? null, () =>
        callHandler(matched, all),
      );
      assertPromised(api, matched.operation, status, body);
      sendJson(response, status, body, headers);
    },
  };
}

type AnyHandler<Services> = (input: AuthenticatedInput, services: Services) => Promise<Answer>;
type AuthenticatedInput = Input & { user: Caller | undefined; rows: unknown; takeTurn: TakeTurn };

/** Returns the method under which a request is routed. HEAD is handled as a GET whose body is not sent. */
const routedMethod = (method = ''): string => (method === 'HEAD' ? 'GET' : method);

function prepare(api: OpenAPIBackend, operation: Operation, handlers: Record<OperationId, unknown>): Matched {
  const id = operation.operationId as OperationId;
  const paramsIn = paramsReader(operation.path);
  // Compile the validators now, so that no request waits for it.
  api.validator.getRequestValidatorsForOperation(id);
  api.validator.getStatusBasedResponseValidatorForOperation(id);
  return {
    id,
    operation,
    needsSession: (operation.security ?? []).length > 0,
    paramsIn,
    read: (handlers[id] as { read?: CallerRead }).read,
    inputOf: createInputReader(api, operation, paramsIn),
  };
}

/** Returns `not_found` if the contract does not have the path, or `method_not_allowed` if the path has only other methods. */
function refusedAddress(find: FindOperation, path: string, response: Response): Refusal {
  const allowed = ['GET', 'POST', 'PATCH', 'DELETE'].filter((method) => find(method, path));
  if (allowed.length === 0) return new Refusal('not_found');
  const methods = (allowed.includes('GET') ? ['HEAD', ...allowed] : allowed).join(', ');
  response.set('Allow', methods);
  return new Refusal('method_not_allowed', [{ path: '/method', message: `must be one of ${methods}` }]);
}

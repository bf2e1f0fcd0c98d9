// Handles one request by the contract with openapi-backend: finds the operation, validates the request, calls the handler and
// validates the response. openapi-backend's own `handleRequest` would parse a request three times and match its
// operation twice more (docs/decisions/0009-requests-by-validate-request.md). test/api/plain-handling.test.ts compares the two.

import { isDeepStrictEqual } from 'node:util';
import type { Response } from 'express';
import type { Request as ContractRequest, OpenAPIBackend, Operation } from 'openapi-backend';
import { paramsReader } from '../../openapi/router.ts';
import type { AuditLog } from '../audit/log.ts';
import { recordRefusal } from '../audit/refusals.ts';
import { Refusal } from '../domain/refusals.ts';
import type { Caller as ProviderCaller, WhileCalling } from '../provider/caller.ts';
import type { Caller } from '../tables/users/statements.ts';
import { theBackend } from './backend.ts';
import { languageOf, setLanguage } from './language.ts';
import type { CallerRead, Handlers, OperationId } from './operation.ts';
import { type Answer, assertDeclared, sendJson } from './reply.ts';
import type { ApiOperation, ApiRequest, Input, TakeTurn } from './request.ts';
import { createValidationDetails } from './validation-details.ts';

export type Contract = {
  /** Returns the operation of a request. It is matched once, when the request arrives. */
  match: (method: string | undefined, path: string) => ApiOperation | undefined;
  /** Calls the handler and sends its response. @throws Refusal, or the error that the handler throws. */
  answer: (request: ApiRequest, response: Response) => Promise<void>;
  /** Every status that an operation declares. */
  answers: { operation: string; status: string }[];
  /** Asserts that the operation declares this response. @throws Error if it does not. */
  assertDeclared: (operation: Operation, status: number, body: unknown) => void;
};

/**
 * Prepares every operation of the contract.
 * @param servicesFor returns the dependencies of a handler. Its calls to the provider are made for this caller.
 * @throws Error if an operation has no handler.
 */
export async function createContract<Services extends { auditLog: AuditLog }>(
  servicesFor: (caller: ProviderCaller<'interactive'>) => Services,
  handlers: Handlers<Services>,
): Promise<Contract> {
  const api = await theBackend();
  const detailsOf = createValidationDetails(api);
  const operations = new Map(
    api.router.getOperations().map((one) => [one.operationId, prepare(api, detailsOf, one, handlers)]),
  );
  for (const id of operations.keys()) if (!(String(id) in handlers)) throw new Error(`no handler for ${id}`);
  return {
    match: (method, path) => {
      // HEAD is handled as a GET whose body is not sent.
      const found = operationAt(api, method === 'HEAD' ? 'GET' : (method ?? ''), path);
      return found && operations.get(found.operationId);
    },
    answers: api.router
      .getOperations()
      .flatMap(({ operationId = '', responses = {} }) =>
        Object.keys(responses).map((status) => ({ operation: operationId, status })),
      ),
    assertDeclared: (operation, status, body) => assertDeclared(api, operation, status, body),
    answer: async (request, response) => {
      const { operation, user, takeTurn } = request;
      if (!operation) throw refusedAddress(api, request.path, response);
      // admission.ts has authenticated the caller before. Without a user, run nothing.
      if (operation.needsSession && !user) throw new Refusal('unauthorized');
      const input = request.input ?? operation.inputOf(request);
      const all = { ...input, user, rows: request.rows, takeTurn };
      const handle = handlers[operation.operationId] as unknown as AnyHandler<Services>;
      const whileCalling: WhileCalling = (call) => request.turn?.whileCalling(call) ?? call();
      const services = servicesFor({ priority: 'interactive', userId: user?.id ?? null, whileCalling });
      const { status, body, headers } = await handle(all, services).catch((error: unknown) => {
        recordRefusal(services.auditLog, operation.operationId, all, error);
        throw error;
      });
      assertDeclared(api, operation, status, body);
      if (operation.hasSentences(status)) setLanguage(response, input.language);
      sendJson(response, status, body, headers);
    },
  };
}

type AnyHandler<Services> = (input: AuthenticatedInput, services: Services) => Promise<Answer>;
type AuthenticatedInput = Input & { user: Caller | undefined; rows: unknown; takeTurn: TakeTurn };

type DetailsOf = ReturnType<typeof createValidationDetails>;

function prepare(
  api: OpenAPIBackend,
  detailsOf: DetailsOf,
  operation: Operation,
  handlers: Record<OperationId, unknown>,
): ApiOperation {
  const id = operation.operationId as OperationId;
  const paramsIn = paramsReader(operation.path);
  const isAlwaysValid = acceptsAnyRequest(operation);
  // Compile the validators now, so that no request waits for it.
  api.validator.getRequestValidatorsForOperation(id);
  api.validator.getStatusBasedResponseValidatorForOperation(id);
  return {
    ...operation,
    operationId: id,
    needsSession: (operation.security ?? []).length > 0,
    hasSentences: (status) => declaresLanguage(operation, status),
    paramsIn,
    read: (handlers[id] as { read?: CallerRead }).read,
    inputOf: (request) => {
      const params = paramsIn(request.path);
      const { body, headers } = request;
      const query =
        isAlwaysValid && !request.url.includes('?') ? {} : validQuery(api, detailsOf, operation, request);
      const { 'idempotency-key': key } = headers;
      return {
        params,
        query,
        body: body as unknown,
        rawBody: request.rawBody ?? Buffer.alloc(0),
        idempotencyKey: typeof key === 'string' ? key : null,
        requestId: request.id,
        language: languageOf(request),
      };
    },
  };
}

/**
 * Returns whether any request without a query satisfies the contract: the operation has no body, and no parameters except optional
 * headers that may be any text. Apps poll these operations, and validation would take a twelfth of a request's processor time.
 */
export const acceptsAnyRequest = ({ parameters = [], requestBody }: Operation): boolean =>
  !requestBody && (parameters as Parameter[]).every(isFreeHeader);

type Parameter = { in: string; required?: boolean; schema?: object };

const isFreeHeader = ({ in: place, required = false, schema }: Parameter): boolean =>
  place === 'header' && !required && isDeepStrictEqual(schema, { type: 'string' });

/** Returns whether the operation's response with this status has sentences for the user, in the language that a header names. */
export const declaresLanguage = ({ responses = {} }: Operation, status: number): boolean =>
  'Content-Language' in ((responses[status] as { headers?: object } | undefined)?.headers ?? {});

/** Validates a request and returns the parameters of its query. @throws Refusal `invalid_request` */
function validQuery(
  api: OpenAPIBackend,
  detailsOf: DetailsOf,
  operation: Operation,
  request: ApiRequest,
): Record<string, unknown> {
  const { method, path, query, headers, body } = request;
  // openapi-backend parses a string as JSON, so a body that is a string after parsing is serialised again.
  const said: unknown = typeof body === 'string' ? JSON.stringify(body) : body;
  const contractRequest = { method, path, query, headers, body: said } as ContractRequest;
  const { errors, coerced } = api.validateRequest(contractRequest, operation);
  if (errors) {
    const bodyBytes = request.rawBody?.length ?? 0;
    throw new Refusal('invalid_request', detailsOf({ contractRequest, operation, errors, bodyBytes }));
  }
  return coerced?.query as Record<string, unknown>;
}

/** Returns `not_found` if the contract does not have the path, or `method_not_allowed` if the path has only other methods. */
function refusedAddress(api: OpenAPIBackend, path: string, response: Response): Refusal {
  const allowed = ['GET', 'POST', 'PATCH', 'DELETE'].filter((method) => operationAt(api, method, path));
  if (allowed.length === 0) return new Refusal('not_found');
  const methods = (allowed.includes('GET') ? ['HEAD', ...allowed] : allowed).join(', ');
  response.set('Allow', methods);
  return new Refusal('method_not_allowed', [{ path: '/method', message: `must be one of ${methods}` }]);
}

const operationAt = (api: OpenAPIBackend, method: string, path: string): Operation | undefined =>
  api.matchOperation({ method, path, headers: {} });

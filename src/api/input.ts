// Builds a handler's input from a request: the parts are parsed once and validated by the operation's schemas.
import type { Request as ContractRequest, OpenAPIBackend, Operation } from 'openapi-backend';
import { Refusal } from '../domain/refusals.ts';
import type { Admitted, Input } from './request.ts';
import { validationDetails } from './validation-details.ts';

const NO_BYTES = Buffer.alloc(0);

/** Returns a function that reads the input of a request. That function throws Refusal `invalid_request` or URIError. */
export function createInputReader(
  api: OpenAPIBackend,
  operation: Operation,
  paramsIn: (path: string) => Record<string, string>,
): (request: Admitted) => Input {
  return (request) => {
    const params = paramsIn(request.path);
    const { method, path, query, headers } = request;
    const asked = { method, path, query: query as ContractRequest['query'], headers, body: bodyOf(request) };
    const { errors, coerced } = api.validateRequest(asked as ContractRequest, operation);
    if (errors) throw new Refusal('invalid_request', validationDetails(errors));
    const { 'idempotency-key': key } = request.headers;
    return {
      params,
      query: coerced?.query as Record<string, unknown>,
      body: request.body as unknown,
      rawBody: request.rawBody ?? NO_BYTES,
      idempotencyKey: typeof key === 'string' ? key : null,
      requestId: request.id,
    };
  };
}

/**
 * Returns the body in the form that openapi-backend expects. openapi-backend parses a string as JSON, so a body that is a string
 * after parsing is serialised again.
 */
const bodyOf = ({ body }: Admitted): unknown => (typeof body === 'string' ? JSON.stringify(body) : body);

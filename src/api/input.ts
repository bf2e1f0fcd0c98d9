// What a handler receives: the parts of a request, parsed once and validated by the operation's schemas.
import type { Request as ContractRequest, OpenAPIBackend, Operation } from 'openapi-backend';
import { Refusal } from '../domain/refusals.ts';
import type { Admitted, Input } from './request.ts';
import { validationDetails } from './validation-details.ts';

const NO_BYTES = Buffer.alloc(0);

/** @returns a reader that throws a Refusal `invalid_request`, or a URIError. */
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

/** The body as openapi-backend takes it: it parses a text, so one that has been parsed already is written as JSON again. */
const bodyOf = ({ body }: Admitted): unknown => (typeof body === 'string' ? JSON.stringify(body) : body);

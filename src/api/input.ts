// What a handler receives: the parts of a request, parsed once and validated by the operation's schemas.
import type { ValidateFunction } from 'ajv';
import type { Operation } from 'openapi-backend';
import { Refusal } from '../domain/refusals.ts';
import type { Admitted, Input } from './request.ts';
import { validationDetails } from './validation-details.ts';

const NO_BYTES = Buffer.alloc(0);

/**
 * @param validators of the body and of the parameters. They coerce: query texts become the types of their schemas.
 * @returns a reader that throws a Refusal `invalid_request`, or a URIError.
 */
export function createInputReader(
  operation: Operation,
  paramsIn: (path: string) => Record<string, string>,
  validators: ValidateFunction[],
): (request: Admitted) => Input {
  assertSingleValues(operation);
  return (request) => {
    const params = paramsIn(request.path);
    const parts = {
      // A copy: the request itself stays as it was sent.
      path: { ...params },
      query: { ...request.query } as Record<string, unknown>,
      header: request.headers,
      cookie: {},
      ...(request.body !== undefined && { requestBody: request.body as unknown }),
    };
    const faults = validators.flatMap((isValid) => (isValid(parts) ? [] : (isValid.errors ?? [])));
    if (faults.length > 0) throw new Refusal('invalid_request', validationDetails(faults));
    const { 'idempotency-key': key } = request.headers;
    return {
      params,
      query: parts.query,
      body: request.body as unknown,
      rawBody: request.rawBody ?? NO_BYTES,
      idempotencyKey: typeof key === 'string' ? key : null,
      requestId: request.id,
    };
  };
}

/** Lists and JSON in a query would have to be parsed first, and no operation of ours has them. */
function assertSingleValues({ operationId, parameters = [] }: Operation): void {
  for (const parameter of parameters) {
    const { name = '', schema } = parameter as { name?: string; schema?: { type?: string } };
    if (schema === undefined || schema.type === 'array' || schema.type === 'object')
      throw new Error(`${operationId}: the parameter ${name} is no single value`);
  }
}

// Which operation of the contract a request is for.
import type { OpenAPIBackend, Operation } from 'openapi-backend';

/** HEAD is a GET whose body is not sent. */
export const routedMethod = (method = ''): string => (method === 'HEAD' ? 'GET' : method);

/** @param address as it was asked for, its query included or not. */
export const operationFor = (
  backend: OpenAPIBackend,
  method: string | undefined,
  address: string,
): Operation | undefined =>
  backend.matchOperation({
    method: routedMethod(method),
    path: address.split('?', 1)[0] ?? '',
    headers: {},
  });

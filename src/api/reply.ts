// Sends a response: validates it against the contract and writes it in one piece.
import type { ServerResponse } from 'node:http';
import type { OpenAPIBackend, Operation } from 'openapi-backend';

export type Answer = { status: number; body: unknown; headers?: Record<string, string> };

/**
 * Asserts that a response satisfies the contract. If it does not, the error leads to a 500, which is better than a wrong answer.
 */
export function assertDeclared(
  { validator }: OpenAPIBackend,
  operation: Operation,
  status: number,
  body: unknown,
): void {
  const id = operation.operationId;
  if (!(String(status) in (operation.responses ?? {})))
    throw new Error(`${id} answered an undeclared ${status}`);
  const { errors } = validator.validateResponse(body, operation, status);
  if (errors?.length) {
    const [fault] = errors;
    throw new Error(`${id} answered against its contract: ${fault?.instancePath} ${fault?.message}`);
  }
}

/**
 * Sends headers and JSON body together. Responses must not be cached: each belongs to one user and soon becomes outdated.
 * @param body is null for a 204, which has no body.
 */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers?: Record<string, string>,
): void {
  if (body === null) {
    response.writeHead(status, { 'Cache-Control': 'no-store', ...headers });
    response.end();
    return;
  }
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    ...headers,
  });
  response.end(text);
}

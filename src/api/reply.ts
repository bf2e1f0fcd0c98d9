// Sends a response: validated against the contract, and written in one piece.
import type { ServerResponse } from 'node:http';
import type { OpenAPIBackend, Operation } from 'openapi-backend';

export type Answer = { status: number; body: unknown; headers?: Record<string, string> };

/** A response is a promise of the contract: breaking it is our fault, and a 500 is better than a wrong answer. */
export function assertPromised(
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

/** Head and body are sent together, never to be cached: an answer is one user's, and true for a moment. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers?: Record<string, string>,
): void {
  sendText(response, status, JSON.stringify(body), headers);
}

/** @param text JSON, or its bytes in the encoding named in the headers. */
export function sendText(
  response: ServerResponse,
  status: number,
  text: string | Buffer,
  headers?: Record<string, string>,
): void {
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    ...headers,
  });
  response.end(text);
}

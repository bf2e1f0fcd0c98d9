// What is answered: held to the contract, and written in one piece.
import type { ServerResponse } from 'node:http';
import type { OpenAPIBackend, Operation } from 'openapi-backend';

export type Answer = { status: number; body: unknown; headers?: Record<string, string> };

/** What we answer is a promise of the contract: breaking it is our fault, and better a 500 than a wrong answer. */
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

/** Head and body leave together. Nobody keeps an answer: it is one person's, and true for a moment. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers?: Record<string, string>,
): void {
  sendText(response, status, JSON.stringify(body), headers);
}

/** @param text JSON, or its bytes in the encoding that the headers tell. */
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

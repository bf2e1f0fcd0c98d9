// Makes replies of the contract from refusals and errors, and sends them.
import type { ServerResponse } from 'node:http';
import type { SandboxContext } from '../context.ts';
import type { Reply } from './operation.ts';
import { type ErrorCode, Refusal, refuse } from './refusal.ts';

export function problem(code: ErrorCode, detail: string, status?: number): Reply {
  return { status: refuse(code, detail, status).status, body: { code, detail } };
}

/** A refusal becomes its reply. */
export function attempt(work: () => Reply): Reply {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { code, message: detail, status, reason } = error;
    return { status, body: { code, detail, ...(reason !== undefined && { reason }) } };
  }
}

export function send(response: ServerResponse, { status, body, headers = {} }: Reply): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  writeHead(response, status);
  response.end(JSON.stringify(body));
}

/** Writes the status and all headers except the length, which depends on the body. */
export function writeHead(response: ServerResponse, status: number): void {
  response.statusCode = status;
  response.setHeader('content-type', 'application/json; charset=utf-8');
}

/**
 * Answers an error. A client's error that occurred before any handler ran keeps its status. Every other error is a fault of the
 * sandbox.
 */
export function sendFault({ options }: SandboxContext, response: ServerResponse, error: unknown): void {
  const { status } = error as { status?: unknown };
  if (error instanceof Refusal) send(response, problem('invalid_request', error.message));
  else if (error instanceof URIError)
    send(response, problem('invalid_request', 'the path is not well escaped'));
  else if (typeof status === 'number' && status >= 400 && status < 500)
    send(response, problem('invalid_request', 'the body cannot be read', status));
  else {
    options.log(`sandbox: ${error instanceof Error ? error.stack : String(error)}`);
    send(response, { status: 500, body: { code: 'internal', detail: 'a fault of the sandbox' } });
  }
}

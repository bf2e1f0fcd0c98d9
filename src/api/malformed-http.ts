// Answers requests that Node could not parse: bytes that are not HTTP, headers that do not end, expectations that cannot be met.
// The response has the same form as any other refusal, if the connection can still carry one.
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { refusalSentence } from '../domain/refusals.ts';
import type { Connections } from './connections.ts';
import { languageOf } from './language.ts';
import { securityHeaders } from './response-headers.ts';

/** HTTP statuses for the error codes of Node's parser. Any other code is a 400. */
const statuses: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/**
 * Registers the answers to malformed requests.
 * @param answered is called with the status of each response and the id given to the request.
 */
export function answerMalformedHttp(
  server: Server,
  { bound, unsent }: Pick<Connections, 'bound' | 'unsent'>,
  answered: (status: number, requestId: string) => void,
): void {
  server.on('clientError', (error: Error & { code?: string }, socket) => {
    const responses = unsent(socket);
    if (!socket.writable || isAwaiting(responses)) return void socket.destroy();
    const status = statuses[error.code ?? ''] ?? 400;
    // Headers that did not arrive in full belong to no request.
    const answer = answerOf(status, responses[0]?.req);
    answered(status, answer.requestId);
    socket.end(textOf(status, answer));
  });
  const refuseExpectation = bound((request, response) => {
    const { requestId, headers, body } = answerOf(417, request);
    answered(417, requestId);
    response.writeHead(417, headers).end(body);
  });
  server.on('checkExpectation', refuseExpectation);
}

/**
 * Returns whether the client would take a further response for part of another one: a response is half sent, or an earlier request
 * still has no response. A request whose own body is malformed is not `complete`, so it does not count.
 */
const isAwaiting = (unsent: ServerResponse[]): boolean =>
  unsent.some(({ headersSent, req }) => headersSent || req.complete);

/** Answers a request whose body does not arrive. Its connection then closes. */
export function answerLate(response: ServerResponse, requestId: string): void {
  const { headers, body } = answerOf(408, response.req, requestId);
  response.writeHead(408, headers).end(body);
}

type Answer = { requestId: string; headers: Record<string, string>; body: string };

function textOf(status: number, { headers, body }: Answer): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n');
}

/** @param request has the language of its reader. Undefined if its headers are not known. */
function answerOf(
  status: number,
  request: IncomingMessage | undefined,
  requestId: string = randomUUID(),
): Answer {
  const language = request ? languageOf(request) : 'en';
  const code = status === 413 ? 'payload_too_large' : 'invalid_request';
  const body = JSON.stringify({ error: refusalSentence(code, language), code, requestId });
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'Content-Language': language,
    Vary: 'Accept-Language',
    'Cache-Control': 'no-store',
    ...Object.fromEntries(securityHeaders),
    'X-Request-Id': requestId,
    Connection: 'close',
  };
  return { requestId, headers, body };
}

// Requests that never parsed: bytes that are not HTTP, headers without an end, expectations that cannot be met. They are
// answered like any other refusal, as far as the connection still allows.
import { randomUUID } from 'node:crypto';
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { refusals } from '../domain/refusals.ts';

/** Error codes of Node's parser and their HTTP status; any other is a 400. */
const statuses: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** @param answered called with each answer's status and the id given to the request. */
export function answerMalformedHttp(
  server: Server,
  answered: (status: number, requestId: string) => void,
): void {
  const underWay = new WeakMap<Duplex, ServerResponse>();
  server.prependListener('request', (request, response) => underWay.set(request.socket, response));
  server.on('clientError', (error: Error & { code?: string }, socket) => {
    // In the middle of an answer a second one would be read as part of it.
    const isAnswering = underWay.get(socket)?.headersSent === true && !underWay.get(socket)?.writableFinished;
    if (!socket.writable || isAnswering) return void socket.destroy();
    const status = statuses[error.code ?? ''] ?? 400;
    const answer = answerOf(status);
    answered(status, answer.requestId);
    socket.end(textOf(status, answer));
  });
  server.on('checkExpectation', (_request, response: ServerResponse) => {
    const { requestId, headers, body } = answerOf(417);
    answered(417, requestId);
    response.writeHead(417, headers).end(body);
  });
}

type Answer = { requestId: string; headers: Record<string, string>; body: string };

function textOf(status: number, { headers, body }: Answer): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n');
}

function answerOf(status: number): Answer {
  const code = status === 413 ? 'payload_too_large' : 'invalid_request';
  const requestId = randomUUID();
  const body = JSON.stringify({ error: refusals[code].sentence, code, requestId });
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    // The same headers as everywhere else (see server.ts); Express is not involved in these answers.
    'Content-Security-Policy': "default-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'",
    'Referrer-Policy': 'no-referrer',
    'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'X-Request-Id': requestId,
    Connection: 'close',
  };
  return { requestId, headers, body };
}

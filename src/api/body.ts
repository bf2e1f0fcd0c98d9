// The bytes of a request's body: only JSON in UTF-8, never compressed, at most as many as the operation allows. A body
// that is too large is not read to its end.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { MIMEType } from 'node:util';
import type { Operation } from 'openapi-backend';
import { malformedJson, Refusal } from '../domain/refusals.ts';

/**
 * @param limitBytes for an operation whose contract names no limit of its own.
 * @returns the bytes, unparsed; empty where there is no body.
 * @throws Refusal
 */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  operation: Operation,
  limitBytes: number,
): Promise<Buffer> {
  if (!hasBody(request)) return Buffer.alloc(0);
  assertPlainJson(request);
  const mostBytes = mostBytesOf(operation, limitBytes);
  if (Number(request.headers['content-length'] ?? 0) > mostBytes) throw tooLarge(mostBytes);
  // A client that expects `100 Continue` receives it only now.
  if (request.headers.expect !== undefined && request.httpVersion === '1.1') response.writeContinue();
  return readBytes(request, mostBytes);
}

/** The limit of an operation with a body. */
const mostBytesOf = ({ requestBody }: Operation, limitBytes: number): number =>
  (requestBody as { 'x-max-bytes'?: number })['x-max-bytes'] ?? limitBytes;

/** How many bytes a body may have at most, by its length as declared and by the limit of its operation. */
export const expectedBytes = (
  { headers }: IncomingMessage,
  operation: Operation,
  limitBytes: number,
): number => {
  const most = mostBytesOf(operation, limitBytes);
  return Math.min(Number(headers['content-length'] ?? most), most);
};

/** A few compressed kilobytes can expand to as many megabytes, and our apps compress nothing. */
function assertPlainJson({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.trim().toLowerCase() !== 'identity') {
    const message = 'must be left out: the body is taken uncompressed';
    throw new Refusal('unsupported_content_encoding', [{ path: '/headers/content-encoding', message }]);
  }
  if (!isJson(headers['content-type'] ?? '')) {
    const message = 'must be application/json, in UTF-8';
    throw new Refusal('unsupported_media_type', [{ path: '/headers/content-type', message }]);
  }
}

function isJson(type: string): boolean {
  // As nearly all clients write it.
  if (type === 'application/json') return true;
  try {
    const { essence, params } = new MIMEType(type);
    return essence === 'application/json' && (params.get('charset') ?? 'utf-8').toLowerCase() === 'utf-8';
  } catch {
    return false;
  }
}

const tooLarge = (mostBytes: number): Refusal =>
  new Refusal('payload_too_large', [
    { path: '/body', message: `must not be longer than ${mostBytes} bytes` },
  ]);

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

async function readBytes(request: IncomingMessage, mostBytes: number): Promise<Buffer> {
  // A short body mostly arrives together with its headers, and then waits in the request as a whole.
  if (request.complete && !request.destroyed) return wholeOf(request, mostBytes);
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    // The connection is still needed for the answer.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > mostBytes) throw tooLarge(mostBytes);
      chunks.push(chunk);
    }
  } catch (cause) {
    // Any other error is a client that disconnected in the middle.
    throw cause instanceof Refusal ? cause : malformedJson(cause);
  }
  return Buffer.concat(chunks, length);
}

function wholeOf(request: IncomingMessage, mostBytes: number): Buffer {
  const bytes = (request.read() as Buffer | null) ?? Buffer.alloc(0);
  if (bytes.length > mostBytes) throw tooLarge(mostBytes);
  return bytes;
}

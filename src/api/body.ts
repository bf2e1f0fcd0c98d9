// Reads the bytes of a request's body: only JSON in UTF-8, uncompressed, up to a limit. A body beyond the limit is not read to its
// end.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { MIMEType } from 'node:util';
import { malformedJson, Refusal } from '../domain/refusals.ts';
import type { ArrivingBody } from './byte-budget.ts';

/** Thrown if the first part of a body does not arrive in time. */
export class LateBody extends Error {}

/** How a body that arrives slowly is counted, and when it is late. */
type Arrival = ArrivingBody & { lateAfterMs: number };

/**
 * Reads the whole body.
 * @param arrival null if the body is not counted.
 * @returns the bytes, unparsed; empty if the request has no body.
 * @throws Refusal `unsupported_content_encoding`, `unsupported_media_type`, `payload_too_large`, `too_many_requests` or `malformed_json`;
 *   LateBody
 */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  maxBytes: number,
  arrival: Arrival | null,
): Promise<Buffer> {
  if (!hasBody(request)) return Buffer.alloc(0);
  assertPlainJson(request);
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  // Send `100 Continue` only now, to a client that waits for it.
  if (request.headers.expect !== undefined && request.httpVersion === '1.1') response.writeContinue();
  if (arrival === null) return readBytes(request, maxBytes, async () => undefined);
  const late = Promise.withResolvers<never>();
  const deadline = setTimeout(() => {
    if (!arrival.isInTime()) late.reject(new LateBody('the body did not arrive in time'));
  }, arrival.lateAfterMs);
  try {
    return await Promise.race([readBytes(request, maxBytes, arrival.arrived), late.promise]);
  } finally {
    clearTimeout(deadline);
  }
}

/**
 * Rejects compressed bodies and other media types than JSON in UTF-8. A few compressed kilobytes can expand to as many megabytes,
 * and our apps compress nothing.
 */
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
  // Nearly all clients send this exact value.
  if (type === 'application/json') return true;
  try {
    const { essence, params } = new MIMEType(type);
    return essence === 'application/json' && (params.get('charset') ?? 'utf-8').toLowerCase() === 'utf-8';
  } catch {
    return false;
  }
}

const tooLarge = (maxBytes: number): Refusal =>
  new Refusal('payload_too_large', [{ path: '/body', message: `must not be longer than ${maxBytes} bytes` }]);

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

const FIRST_BYTES = 1_024;

async function readBytes(
  request: IncomingMessage,
  maxBytes: number,
  arrived: ArrivingBody['arrived'],
): Promise<Buffer> {
  // A short body usually arrives together with its headers, and is then buffered completely in the request.
  if (request.complete && !request.destroyed) {
    const bytes = (request.read() as Buffer | null) ?? Buffer.alloc(0);
    if (bytes.length > maxBytes) throw tooLarge(maxBytes);
    await arrived(bytes.length);
    return bytes;
  }
  // One buffer that grows: a list of chunks would take two hundred times as much memory if each chunk had one byte.
  let body = Buffer.allocUnsafe(FIRST_BYTES);
  let length = 0;
  try {
    // Keep the connection open, because the response is sent over it.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBytes) throw tooLarge(maxBytes);
      if (length > body.length) {
        const longer = Buffer.allocUnsafe(Math.min(maxBytes, 2 * length));
        body.copy(longer);
        body = longer;
      }
      chunk.copy(body, length - chunk.length);
      await arrived(chunk.length);
    }
  } catch (cause) {
    // Any other error means that the client disconnected before the body ended.
    throw cause instanceof Refusal ? cause : malformedJson(cause);
  }
  return body.subarray(0, length);
}

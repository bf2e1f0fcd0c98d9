// Reads the JSON body of a call without Express, whose general reader costs as much as the work of a call.
import type { IncomingMessage } from 'node:http';

const MAX_BYTES = 102_400;

/** A body that is too long, compressed or not JSON. */
class UnreadableBody extends Error {
  readonly status: number;

  constructor(status: 400 | 413 | 415) {
    super('the body cannot be read');
    this.status = status;
  }
}

/** @returns undefined without a body, and for a body whose content type is not JSON. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const { headers } = request;
  const isThere = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  if (!isThere || !/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')) return undefined;
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') throw new UnreadableBody(415);
  if (Number(headers['content-length']) > MAX_BYTES) throw new UnreadableBody(413);
  const text = (await bytesOf(request)).toString();
  // An empty body is an empty object, as with Express.
  if (text === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    throw new UnreadableBody(400);
  }
}

function bytesOf(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= MAX_BYTES) chunks.push(chunk);
      else reject(new UnreadableBody(413));
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    // The client closed the connection before the end of the body.
    request.once('error', () => reject(new UnreadableBody(400)));
  });
}

// The JSON body of a call, read without Express: its general reader costs as much as the work of a call.
import type { IncomingMessage } from 'node:http';

const MOST_BYTES = 102_400;

/** A body that is too long, compressed or no JSON. */
class UnreadableBody extends Error {
  readonly status: number;

  constructor(status: 400 | 413 | 415) {
    super('the body cannot be read');
    this.status = status;
  }
}

/** @returns undefined without a body, and for one that says that it is something else than JSON. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const { headers } = request;
  const isThere = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  if (!isThere || !/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')) return undefined;
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') throw new UnreadableBody(415);
  if (Number(headers['content-length']) > MOST_BYTES) throw new UnreadableBody(413);
  const text = (await bytesOf(request)).toString();
  // As Express has it: an empty body is an empty object.
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
      if (length <= MOST_BYTES) chunks.push(chunk);
      else reject(new UnreadableBody(413));
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    // The client has gone in the middle.
    request.once('error', () => reject(new UnreadableBody(400)));
  });
}

// Compresses public documents and one list, and no other response. The length of a compressed response shows how much of its text
// repeats. If a response held a secret and text that another party chose, its length would leak the secret letter by letter
// (BREACH; see docs/security.md).
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gunzip, gzip } from 'node:zlib';
import type { Request, RequestHandler, Response } from 'express';
import type { OperationId } from './operation.ts';

/**
 * The operations whose responses are compressed. They contain ids, amounts, timestamps and our own sentences,
 * and no text that a client chose.
 */
export const compressedLists: ReadonlySet<OperationId> = new Set(['listTransactions']);

/** The minimum size for compression. 3,000 bytes are about ten rows; a shorter list costs more to compress than it saves. */
const LEAST_BYTES = 3_000;
/** This level is twice as fast as zlib's default, and its result is a tenth longer. */
const LIST_LEVEL = 2;
const DOCUMENT_QUALITY = 6;

const shortestFirst = ['br', 'gzip'] as const;

const gzipped = promisify(gzip);
const gunzipped = promisify(gunzip);
const brotlied = promisify(brotliCompress);

/**
 * Compresses the body of a list if that is worth it and the client accepts gzip, and sets the headers.
 * @returns the body to send.
 */
export async function compressList(
  request: Request,
  response: Response,
  text: string,
): Promise<string | Buffer> {
  if (text.length < LEAST_BYTES) return text;
  response.vary('Accept-Encoding');
  if (!request.acceptsEncodings('gzip')) return text;
  response.setHeader('Content-Encoding', 'gzip');
  return gzipped(text, { level: LIST_LEVEL });
}

/** How a document is sent: its media type and its Cache-Control header. */
export type Served = { type: string; cacheControl: string };

type Makers = { br?: () => Promise<Buffer>; gzip: () => Promise<Buffer>; identity: () => Promise<Buffer> };

/**
 * Sends a document that does not change while the process runs. It is compressed when the first client that
 * accepts the encoding requests it.
 */
export function compressedDocument(text: string, served: Served): RequestHandler {
  const makers: Makers = {
    br: () => brotlied(text, { params: { [constants.BROTLI_PARAM_QUALITY]: DOCUMENT_QUALITY } }),
    gzip: () => gzipped(text),
    identity: async () => Buffer.from(text),
  };
  return sendKept(makers, versionOf(text), served);
}

/** Sends a document that is stored compressed. It is decompressed when the first client that does not accept gzip requests it. */
export function packedDocument(packed: Buffer, served: Served): RequestHandler {
  const makers: Makers = { gzip: async () => packed, identity: () => gunzipped(packed) };
  return sendKept(makers, versionOf(packed), served);
}

/**
 * Creates each encoding once and keeps it in memory. A stream per request would stay open until its client has read it to the end.
 */
function sendKept(makers: Makers, version: string, { type, cacheControl }: Served): RequestHandler {
  const made = new Map<keyof Makers, Promise<Buffer>>();
  return async (request, response) => {
    const encoding =
      shortestFirst.find((one) => makers[one] !== undefined && request.acceptsEncodings(one)) ?? 'identity';
    const known = made.get(encoding) ?? (makers[encoding] ?? makers.identity)();
    made.set(encoding, known);
    // If creating an encoding fails, the next request tries again.
    known.catch(() => made.delete(encoding));
    const bytes = await known;
    if (encoding !== 'identity') response.set('Content-Encoding', encoding);
    response.vary('Accept-Encoding');
    response.set({ 'Cache-Control': cacheControl, 'Content-Type': type, ETag: version }).send(bytes);
  };
}

/**
 * Returns a weak ETag, because the document is the same in every encoding. Express answers 304 to a client that has this version.
 */
const versionOf = (bytes: string | Buffer): string =>
  `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;

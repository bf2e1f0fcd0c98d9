// Compresses public documents, and no response of an operation. The length of a compressed response shows how much of its text
// repeats. If a response held a secret and text that another party chose, its length would leak the secret letter by letter
// (BREACH; see docs/security.md).
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gunzip, gzip } from 'node:zlib';
import type { RequestHandler } from 'express';

const DOCUMENT_QUALITY = 6;

const shortestFirst = ['br', 'gzip'] as const;

const gzipped = promisify(gzip);
const gunzipped = promisify(gunzip);
const brotlied = promisify(brotliCompress);

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
    const encoded = made.get(encoding) ?? (makers[encoding] ?? makers.identity)();
    made.set(encoding, encoded);
    // If creating an encoding fails, the next request tries again.
    encoded.catch(() => made.delete(encoding));
    const bytes = await encoded;
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

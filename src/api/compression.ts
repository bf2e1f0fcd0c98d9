// Which answers are compressed: public documents and one list. The length of a compressed answer reveals how much of it
// repeats, so an answer with a secret and a text chosen by somebody else would leak the secret letter by letter (BREACH;
// docs/security.md). So only answers named here are compressed.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gunzip, gzip } from 'node:zlib';
import type { Request, RequestHandler, Response } from 'express';
import type { OperationId } from '../handlers/operation.ts';

/** Ids, amounts, timestamps and sentences of ours: no text in it was chosen by a client. */
export const compressedLists: ReadonlySet<OperationId> = new Set(['listTransactions']);

/** A shorter list costs more to compress than it saves: three kilobytes are ten rows. */
const LEAST_BYTES = 3_000;
/** Twice as fast as zlib's default level, with a result a tenth longer. */
const LIST_LEVEL = 2;
const DOCUMENT_QUALITY = 6;

const shortestFirst = ['br', 'gzip'] as const;

const gzipped = promisify(gzip);
const gunzipped = promisify(gunzip);
const brotlied = promisify(brotliCompress);

/** Sets the headers. @returns the body to send. */
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

/** How a document is sent, beside its bytes. */
export type Served = { type: string; cacheControl: string };

type Makers = { br?: () => Promise<Buffer>; gzip: () => Promise<Buffer>; identity: () => Promise<Buffer> };

/** Sends a document that never changes while the process runs; it is compressed when a client first accepts the encoding. */
export function compressedDocument(text: string, served: Served): RequestHandler {
  const makers: Makers = {
    br: () => brotlied(text, { params: { [constants.BROTLI_PARAM_QUALITY]: DOCUMENT_QUALITY } }),
    gzip: () => gzipped(text),
    identity: async () => Buffer.from(text),
  };
  return sendKept(makers, versionOf(text), served);
}

/** Sends a document that was compressed before; it is decompressed when a client first accepts no gzip. */
export function packedDocument(packed: Buffer, served: Served): RequestHandler {
  const makers: Makers = { gzip: async () => packed, identity: () => gunzipped(packed) };
  return sendKept(makers, versionOf(packed), served);
}

/** Each encoding is made once and kept in memory: a stream for each request would need its client to read it to its end. */
function sendKept(makers: Makers, version: string, { type, cacheControl }: Served): RequestHandler {
  const made = new Map<keyof Makers, Promise<Buffer>>();
  return async (request, response) => {
    const encoding =
      shortestFirst.find((one) => makers[one] !== undefined && request.acceptsEncodings(one)) ?? 'identity';
    const known = made.get(encoding) ?? (makers[encoding] ?? makers.identity)();
    made.set(encoding, known);
    // A failed one is made again with the next request.
    known.catch(() => made.delete(encoding));
    const bytes = await known;
    if (encoding !== 'identity') response.set('Content-Encoding', encoding);
    response.vary('Accept-Encoding');
    response.set({ 'Cache-Control': cacheControl, 'Content-Type': type, ETag: version }).send(bytes);
  };
}

/** Weak: it is the same in every encoding. Express answers 304 to a client that has this version. */
const versionOf = (bytes: string | Buffer): string =>
  `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;

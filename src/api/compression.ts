// Which answers are compressed: documents, which are the same for everybody, and one list. What is compressed tells by its
// length how much of it repeats itself, so an answer with a secret in it and a text that somebody else may choose would tell
// the secret, a letter at a time (BREACH; docs/security.md). That is why answers are not compressed unless named here.
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, RequestHandler, Response } from 'express';
import type { OperationId } from '../handlers/operation.ts';

/** Ids, amounts, moments and sentences of ours: nothing in it was written by anybody. */
export const compressedLists: ReadonlySet<OperationId> = new Set(['listTransactions']);

/** In a shorter list there is less to be saved than compressing costs: three kilobytes are ten rows. */
const LEAST_BYTES = 3_000;
/** Twice as fast as zlib's own choice, and a tenth longer. */
const LIST_LEVEL = 2;
const DOCUMENT_QUALITY = 6;

const shortestFirst = ['br', 'gzip'] as const;

const gzipped = promisify(gzip);
const brotlied = promisify(brotliCompress);

/** @returns the body as it is to be sent, and its headers are set. */
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

/** @param read asked once for each encoding; what it gives never changes while the process lives. */
export function compressedDocument(
  read: () => Promise<string | Buffer>,
  { type, cacheControl }: { type: string; cacheControl: string },
): RequestHandler {
  const encoders = {
    br: (bytes: string | Buffer) =>
      brotlied(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: DOCUMENT_QUALITY } }),
    gzip: (bytes: string | Buffer) => gzipped(bytes),
    identity: async (bytes: string | Buffer) => Buffer.from(bytes),
  };
  const made = new Map<string, Promise<Buffer>>();
  return async (request, response) => {
    const encoding = shortestFirst.find((one) => request.acceptsEncodings(one)) ?? 'identity';
    const known = made.get(encoding) ?? read().then(encoders[encoding]);
    made.set(encoding, known);
    // One that failed is tried again with the next request.
    known.catch(() => made.delete(encoding));
    const bytes = await known;
    if (encoding !== 'identity') response.set('Content-Encoding', encoding);
    response.vary('Accept-Encoding').set({ 'Cache-Control': cacheControl, 'Content-Type': type }).send(bytes);
  };
}

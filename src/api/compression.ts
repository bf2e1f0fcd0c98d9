// Which answers are compressed: public documents and one list. The length of a compressed answer reveals how much of it
// repeats, so an answer with a secret and a text chosen by somebody else would leak the secret letter by letter (BREACH;
// docs/security.md). So only answers named here are compressed.
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
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

/** @param read called once for each encoding; its result never changes while the process runs. */
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
    // A failed one is tried again with the next request.
    known.catch(() => made.delete(encoding));
    const bytes = await known;
    if (encoding !== 'identity') response.set('Content-Encoding', encoding);
    response.vary('Accept-Encoding').set({ 'Cache-Control': cacheControl, 'Content-Type': type }).send(bytes);
  };
}

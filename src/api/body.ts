// Reading a request's body: JSON in UTF-8, no larger than allowed, and only where the contract has a body at all.
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import express, { type Request, type RequestHandler } from 'express';
import type { OpenAPIBackend } from 'openapi-backend';
import { Refusal } from './errors.ts';

/**
 * A body that the contract does not ask for means nothing and stays unread, so an address that does not exist is
 * a 404 whatever comes with it. The bytes are kept beside the value, for those who must store or hash them.
 */
export function readBody(backend: OpenAPIBackend, limit: string): RequestHandler {
  const parse = express.json({ limit, strict: false, type: 'application/json', verify: keepBytes });
  return (request, response, next) => {
    const operation = hasBody(request)
      ? backend.matchOperation({ method: request.method, path: request.path, headers: {} })
      : undefined;
    if (!operation?.requestBody) return next();
    if (request.is('application/json') === false && '415' in (operation.responses ?? {}))
      throw new Refusal('unsupported_media_type');
    parse(request, response, (error?: unknown) => next(error && bodyRefusal(error)));
  };
}

const hasBody = ({ headers }: Request): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** JSON travels in UTF-8 and without a mark in front; bytes that are not would be stored as other text than was sent. */
function keepBytes(request: IncomingMessage, _response: unknown, bytes: Buffer, encoding: string): void {
  if (encoding !== 'utf-8') throw new Refusal('unsupported_media_type');
  if (!isUtf8(bytes) || bytes.indexOf('\uFEFF') === 0) throw new Refusal('malformed_json');
  Object.assign(request, { rawBody: bytes });
}

/** The parser's faults carry a status: all below 500 are the sender's. */
function bodyRefusal(error: unknown): unknown {
  if (error instanceof Refusal || !(error instanceof Error) || !('status' in error)) return error;
  if (error.status === 413) return new Refusal('payload_too_large');
  if (error.status === 415) return new Refusal('unsupported_media_type');
  return Number(error.status) < 500 ? new Refusal('malformed_json') : error;
}

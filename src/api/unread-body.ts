// Handles the rest of a body after its request has been answered. A limited part is read and discarded, so that the client receives
// the response and can keep the connection. Beyond that, reading stops, and the connection is closed a second later: closing it
// immediately would reset it before a slow client has read the response.
import type { RequestHandler } from 'express';

/**
 * The maximum number of bytes to discard: thirty times the limit of most operations, so that an app that sends such a body by
 * mistake still receives its response.
 */
const MAX_BYTES = 1024 * 1024;
const MAX_MS = 5_000;
const LINGER_MS = 1_000;

export const boundUnreadBody: RequestHandler = (request, response, next) => {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (length === undefined && encoding === undefined) return next();
  // Run before Node's own listener, which would read the whole body, whatever its length, unless it is already being read.
  response.prependOnceListener('finish', () => {
    if (request.complete) return;
    const { socket } = request;
    let bytes = 0;
    const patience = setTimeout(() => socket.destroy(), MAX_MS).unref();
    request.once('close', () => clearTimeout(patience));
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_BYTES || request.isPaused()) return;
      request.pause();
      setTimeout(() => socket.destroy(), LINGER_MS).unref();
    });
    request.read(0);
  });
  next();
};

// The rest of a body whose request has been answered. A little of it is read and discarded, so that the client receives
// the answer and can keep the connection; beyond that reading stops, and the connection is closed a little later: closed
// in the same moment, it would be reset before a slow client has read the answer.
import type { RequestHandler } from 'express';

/** Thirty times the limit of most operations: an app that sends such a body by mistake still receives its answer. */
const MOST_BYTES = 1024 * 1024;
const MOST_MS = 5_000;
const LINGER_MS = 1_000;

export const boundUnreadBody: RequestHandler = (request, response, next) => {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (length === undefined && encoding === undefined) return next();
  // Before Node's own listener, which would read the whole body, however long, unless it is being read already.
  response.prependOnceListener('finish', () => {
    if (request.complete) return;
    const { socket } = request;
    let bytes = 0;
    const patience = setTimeout(() => socket.destroy(), MOST_MS).unref();
    request.once('close', () => clearTimeout(patience));
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MOST_BYTES || request.isPaused()) return;
      request.pause();
      setTimeout(() => socket.destroy(), LINGER_MS).unref();
    });
    request.read(0);
  });
  next();
};

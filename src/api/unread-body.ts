// What is left of a body when its request has been answered. A little of it is read and thrown away, so that its sender comes
// to see the answer and can go on with the connection; beyond that the connection ends.
import type { RequestHandler } from 'express';

/** Whoever may send more than this at all has a session, and sends it for a right of theirs: rarely, and again. */
const MOST_BYTES = 1024 * 1024;
const MOST_MS = 5_000;

export const boundUnreadBody: RequestHandler = (request, response, next) => {
  // First of all who listen: Node itself would read all that comes, for as long as it comes, unless it is being read.
  response.prependOnceListener('finish', () => {
    if (request.complete) return;
    const { socket } = request;
    let bytes = 0;
    const patience = setTimeout(() => socket.destroy(), MOST_MS);
    request.once('close', () => clearTimeout(patience));
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MOST_BYTES) socket.destroy();
    });
    request.read(0);
  });
  next();
};

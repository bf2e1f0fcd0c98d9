// The reference service for payments: the same direct payment as in the service, written by hand with Express 5, `pg` and undici.
// It commits an accepted request before it answers, and a callback before it acknowledges. It has no contract, machine, history or
// sealing, and its effects are lost with the process.
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { followCallback, storeCallback } from './callbacks.ts';
import { inBackground } from './progress.ts';
import { type Reference, Refused } from './reference.ts';
import { pay, quote, showPayment } from './requests.ts';
import { isEqual, startSession, userOf } from './sessions.ts';

export function createReferenceServer(reference: Reference): Express {
  const caller = (request: Request): string => userOf(reference, request.get('authorization'));
  const server = express();
  // The service omits these headers as well: neither helps an app.
  server.disable('x-powered-by');
  server.disable('etag');
  server.use(express.json());
  server.post('/sessions', async (request, response) => {
    response.status(201).json(await startSession(reference, request.body));
  });
  server.post('/pix/quote', async (request, response) => {
    response.json(await quote(reference, caller(request), request.body));
  });
  server.post('/pix/payments', async (request, response) => {
    response.status(201).json(await pay(reference, caller(request), request.body));
  });
  server.get('/pix/payments/:id', async (request, response) => {
    response.json(await showPayment(reference, caller(request), request.params.id));
  });
  server.post('/webhooks/provider/:secret', async (request, response) => {
    if (!isEqual(request.params.secret, reference.webhookSecret)) throw new Refused(404, 'not_found');
    const stored = await storeCallback(reference, request.body);
    response.json({ status: 'received' });
    if (stored !== null) inBackground(followCallback(reference, stored, request.body));
  });
  server.use(answerRefusal);
  return server;
}

// Express recognises an error handler by its four parameters.
function answerRefusal(error: unknown, _request: Request, response: Response, _next: NextFunction): void {
  const isRefusal = error instanceof Refused;
  if (!isRefusal) console.error('reference:', error);
  const code = isRefusal ? error.message : 'internal';
  response.status(isRefusal ? error.status : 500).json({ code });
}

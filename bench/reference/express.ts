// The main reference: Express 5 and pg, written by hand. It does not verify the caller's identity and checks nothing.
import type { AddressInfo } from 'node:net';
import express, { type Request } from 'express';
import { serveMeasured } from '../serve-measured.ts';
import { createRowPool } from './query.ts';
import { getMe, getPayment, listTransactions, pay, storeCallback } from './rows.ts';

const db = createRowPool(process.env['DATABASE_URL'] ?? '');
const personOf = (request: Request): string => request.get('x-user-id') ?? '';

const server = express();
// The service omits these headers as well: neither helps an app.
server.disable('x-powered-by');
server.disable('etag');
server.use(express.json());
server.get('/transactions', async (request, response) => {
  response.json(await listTransactions(db, personOf(request), Number(request.query['limit'])));
});
server.get('/me', async (request, response) => {
  response.json(await getMe(db, personOf(request)));
});
server.get('/pix/payments/:id', async (request, response) => {
  response.json(await getPayment(db, personOf(request), request.params.id));
});
server.post('/pix/payments', async (request, response) => {
  response.status(201).json(await pay(db, personOf(request), request.body));
});
server.post('/webhooks/provider', async (request, response) => {
  response.json(await storeCallback(db, request.body));
});

const listening = server.listen(0, '127.0.0.1', () => {
  serveMeasured(`http://127.0.0.1:${(listening.address() as AddressInfo).port}`);
});

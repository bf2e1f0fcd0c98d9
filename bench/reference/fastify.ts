// The same reference on Fastify 5, for comparison: a framework made for speed.
import fastify from 'fastify';
import { serveMeasured } from '../serve-measured.ts';
import { createRowPool } from './query.ts';
import { getMe, getPayment, listTransactions, pay, storeCallback } from './rows.ts';

type TransactionsPage = {
  Params: { id: string };
  Querystring: { limit: string };
  Headers: { 'x-user-id': string };
};

const db = createRowPool(process.env['DATABASE_URL'] ?? '');
const server = fastify();
server.get<TransactionsPage>('/transactions', ({ headers, query }) =>
  listTransactions(db, headers['x-user-id'], Number(query.limit)),
);
server.get<TransactionsPage>('/me', ({ headers }) => getMe(db, headers['x-user-id']));
server.get<TransactionsPage>('/pix/payments/:id', ({ headers, params }) =>
  getPayment(db, headers['x-user-id'], params.id),
);
server.post<TransactionsPage>('/pix/payments', async ({ headers, body }, reply) => {
  reply.status(201);
  return pay(db, headers['x-user-id'], body as Parameters<typeof pay>[2]);
});
server.post('/webhooks/provider', ({ body }) =>
  storeCallback(db, body as Parameters<typeof storeCallback>[1]),
);
serveMeasured(await server.listen({ port: 0, host: '127.0.0.1' }));

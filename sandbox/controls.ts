// Controls for testers: pay in, return a payout, read the ledger, inject faults.
import { type Request, type Response, Router } from 'express';
import { clockRoutes } from './clock-routes.ts';
import { type Deposit, deposit } from './deposits.ts';
import { faultInjectionRoutes } from './fault-injection/routes.ts';
import { faultRoutes } from './faults/routes.ts';
import { proof } from './ledger.ts';
import { notice } from './pages/layout.ts';
import { created, ok, type Reply } from './provider/operation.ts';
import { refundPayout } from './provider/payouts.ts';
import { attempt, send } from './provider/reply.ts';
import type { World } from './world.ts';

export function controlRoutes(world: World): Router {
  const router = Router();
  const change = (work: () => Reply) => attempt(() => world.store.transaction(work));

  router.post('/deposits', (request, response) => {
    const asked = (request.body ?? {}) as Deposit;
    answer(
      request,
      response,
      change(() => created(deposit(world, asked))),
    );
  });
  router.post('/payouts/:uuid/refund', (request, response) => {
    send(
      response,
      change(() => ok(refundPayout(world, request.params.uuid.toLowerCase()))),
    );
  });
  router.get('/ledger', (_request, response) => send(response, ok(proof(world))));
  router.use('/fault-injection', faultInjectionRoutes(world));
  router.use('/faults', faultRoutes(world));
  router.use('/clock', clockRoutes(world));
  return router;
}

/** A form gets a page, a program gets JSON. */
function answer(request: Request, response: Response, reply: Reply): void {
  if (!request.is('application/x-www-form-urlencoded')) {
    send(response, reply);
    return;
  }
  const { amount, currency, detail } = reply.body as Record<string, string | undefined>;
  const text = detail ?? `${amount} ${currency} is on its way to the app.`;
  response
    .status(reply.status)
    .type('html')
    .send(notice(detail ? 'No deposit' : 'Deposited', text));
}

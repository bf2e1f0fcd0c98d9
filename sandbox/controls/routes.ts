// Controls for testers: pay in, decide outcomes, delay them, handle callbacks, read the ledger, inject faults. A program sends JSON
// and gets JSON. A form of the console gets the page of what it changed.
import { Router } from 'express';
import { clockRoutes } from '../clock-routes.ts';
import type { SandboxContext } from '../context.ts';
import { withFate } from '../faults/callback-sent.ts';
import { faultInjectionRoutes, faultRoutes } from '../faults/routes.ts';
import { proof } from '../ledger.ts';
import { created, ok, type Reply } from '../provider/operation.ts';
import { refuse } from '../provider/refusal.ts';
import { attempt, send } from '../provider/reply.ts';
import { ACTIONS, isResource } from './actions.ts';
import { answer } from './answer.ts';
import { callbackRoutes } from './callbacks.ts';
import { makeCharge } from './charges.ts';
import { type Deposit, deposit } from './deposits.ts';
import { fateIn } from './values.ts';

export function controlRoutes(context: SandboxContext): Router {
  const router = Router();
  const change = (body: object, work: () => Reply) =>
    attempt(() => withFate(context, fateIn(body), () => context.store.transaction(work)));

  router.post('/deposits', (request, response) => {
    const body = (request.body ?? {}) as Deposit;
    const reply = change(body, () => created(deposit(context, body)));
    answer(request, response, reply, 'deposited');
  });
  router.post('/charges', (request, response) => {
    const body = (request.body ?? {}) as Record<string, unknown>;
    const reply = change({}, () => created(makeCharge(context, body)));
    answer(request, response, reply, 'charged', '/console/charges');
  });
  router.get('/ledger', (_request, response) => send(response, ok(proof(context))));
  router.use('/fault-injection', faultInjectionRoutes(context));
  router.use('/faults', faultRoutes(context));
  router.use('/clock', clockRoutes(context));
  router.use('/callbacks', callbackRoutes(context));
  router.post('/:resource/:uuid/:action', (request, response, next) => {
    const { resource, uuid, action } = request.params;
    if (!isResource(resource)) return next();
    const body = (request.body ?? {}) as Record<string, unknown>;
    const reply = change(body, () => {
      const work = ACTIONS[resource].get(action);
      if (!work)
        throw refuse('not_found', `no such action: there are ${[...ACTIONS[resource].keys()].join(', ')}`);
      return ok(context.seams.bodySent(work(context, uuid.toLowerCase(), body)));
    });
    answer(request, response, reply, action);
  });
  return router;
}

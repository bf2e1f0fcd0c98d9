// Fault injection over HTTP: configure it, read it, request single faults, and read what was injected.
import { Router } from 'express';
import { handlers } from '../provider/index.ts';
import { created, ok } from '../provider/operation.ts';
import { attempt, send } from '../provider/reply.ts';
import type { World } from '../world.ts';
import { readFaultConfiguration } from './configuration.ts';
import { readOrderedFault } from './ordered.ts';

/** The operations for which single faults can be requested. */
export const OPERATIONS = Object.keys(handlers);

export function faultInjectionRoutes({ faultInjection }: World): Router {
  const router = Router();
  router.get('/', (_request, response) => send(response, ok(faultInjection.configuration())));
  router.put('/', (request, response) => {
    const reply = attempt(() => {
      faultInjection.configure(readFaultConfiguration(request.body));
      return ok(faultInjection.configuration());
    });
    send(response, reply);
  });
  router.delete('/', (_request, response) => {
    faultInjection.clear();
    send(response, ok(faultInjection.configuration()));
  });
  router.get('/next', (_request, response) => send(response, ok({ results: faultInjection.ordered.list() })));
  router.post('/next', (request, response) => {
    const reply = attempt(() => {
      const fault = readOrderedFault(request.body, OPERATIONS);
      faultInjection.ordered.add(fault);
      return created(fault);
    });
    send(response, reply);
  });
  router.get('/faults', (_request, response) => send(response, ok(faultInjection.counts())));
  router.delete('/faults', (_request, response) => {
    faultInjection.forgetCounts();
    send(response, ok(faultInjection.counts()));
  });
  return router;
}

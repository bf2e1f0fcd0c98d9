// The weather by calls: set it, look at it, order single faults, and see what struck.
import { Router } from 'express';
import { attempt, send } from '../provider/api.ts';
import { handlers } from '../provider/index.ts';
import { created, ok } from '../provider/operation.ts';
import type { World } from '../world.ts';
import { readForecast } from './configuration.ts';
import { readOrderedFault } from './ordered.ts';

/** What single faults can be ordered for. */
export const OPERATIONS = Object.keys(handlers);

export function weatherRoutes({ weather }: World): Router {
  const router = Router();
  router.get('/', (_request, response) => send(response, ok(weather.forecast())));
  router.put('/', (request, response) => {
    const reply = attempt(() => {
      weather.change(readForecast(request.body));
      return ok(weather.forecast());
    });
    send(response, reply);
  });
  router.delete('/', (_request, response) => {
    weather.clear();
    send(response, ok(weather.forecast()));
  });
  router.get('/next', (_request, response) => send(response, ok({ results: weather.ordered.list() })));
  router.post('/next', (request, response) => {
    const reply = attempt(() => {
      const fault = readOrderedFault(request.body, OPERATIONS);
      weather.ordered.add(fault);
      return created(fault);
    });
    send(response, reply);
  });
  router.get('/faults', (_request, response) => send(response, ok(weather.counts())));
  router.delete('/faults', (_request, response) => {
    weather.forgetCounts();
    send(response, ok(weather.counts()));
  });
  return router;
}

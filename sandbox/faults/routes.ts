// What a tester may do to single things, and what was done to them.
import { Router } from 'express';
import { attempt, send } from '../provider/api.ts';
import { ok, type Reply } from '../provider/operation.ts';
import { refuse } from '../provider/refusal.ts';
import { isoTime } from '../time.ts';
import type { World } from '../world.ts';
import { lateRequests, receiveNow } from './late.ts';
import { makeTwin } from './make-twin.ts';
import { report } from './reports.ts';

type Asked = Record<string, unknown>;

export function faultRoutes(world: World): Router {
  const router = Router();
  const { store, weather } = world;
  const control = (path: string, work: (asked: Asked) => Reply) =>
    router.post(path, (request, response) => {
      const asked = (request.body ?? {}) as Asked;
      send(
        response,
        attempt(() => store.transaction(() => work(asked))),
      );
    });

  router.get('/injected', (request, response) => {
    const { about } = request.query;
    const rows = weather.injected.list(typeof about === 'string' ? about : undefined);
    const results = rows.map(({ id: _id, at, details, ...row }) => ({
      ...row,
      at: isoTime(at),
      details: JSON.parse(details) as object,
    }));
    send(response, ok({ results }));
  });
  router.get('/late', (_request, response) => send(response, ok({ results: lateRequests(world) })));
  control('/late/receive', ({ about = '' }) => ok({ received: receiveNow(world, textIn(about, 'about')) }));
  control('/twin', ({ uuid }) => makeTwin(world, textIn(uuid, 'uuid')));
  control('/report', ({ uuid, fields }) => ok(report(world, textIn(uuid, 'uuid').toLowerCase(), fields)));
  return router;
}

function textIn(value: unknown, name: string): string {
  if (typeof value !== 'string') throw refuse('invalid_request', `${name} must be text`);
  return value;
}

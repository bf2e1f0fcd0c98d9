// Routes that inject faults into single resources, and list the injected faults.
import { Router } from 'express';
import { ok, type Reply } from '../provider/operation.ts';
import { refuse } from '../provider/refusal.ts';
import { attempt, send } from '../provider/reply.ts';
import { isoTime } from '../time.ts';
import type { World } from '../world.ts';
import { lateRequests, receiveNow } from './late.ts';
import { makeTwin } from './make-twin.ts';
import { stepBack } from './provider-clock.ts';
import { report } from './reports.ts';
import { reappear, vanish } from './vanished.ts';

type Asked = Record<string, unknown>;

export function faultRoutes(world: World): Router {
  const router = Router();
  const { store, faultInjection } = world;
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
    const rows = faultInjection.injected.list(typeof about === 'string' ? about : undefined);
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
  control('/vanish', ({ uuid, by_uuid = true, by_handle = false, forMs = null }) => {
    const absence = { by_uuid: flagIn(by_uuid, 'by_uuid'), by_handle: flagIn(by_handle, 'by_handle') };
    return ok(
      vanish(
        world,
        textIn(uuid, 'uuid').toLowerCase(),
        absence,
        forMs === null ? null : msIn(forMs, 'forMs'),
      ),
    );
  });
  control('/reappear', ({ uuid }) => ok(reappear(world, textIn(uuid, 'uuid').toLowerCase())));
  control('/clock-jump', ({ backMs, forMs }) => {
    const jump = { backMs: msIn(backMs, 'backMs'), forMs: msIn(forMs, 'forMs') };
    return ok(stepBack(world, { uuid: null, originId: null }, jump));
  });
  return router;
}

function textIn(value: unknown, name: string): string {
  if (typeof value !== 'string') throw refuse('invalid_request', `${name} must be text`);
  return value;
}

function flagIn(value: unknown, name: string): boolean {
  if (typeof value !== 'boolean') throw refuse('invalid_request', `${name} must be true or false`);
  return value;
}

function msIn(value: unknown, name: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
  throw refuse('invalid_request', `${name} must be a whole number`);
}

// Routes that configure the faults, request single ones, inject them into single resources, and list what was injected.
import { Router } from 'express';
import type { SandboxContext } from '../context.ts';
import { handlers } from '../provider/index.ts';
import { created, ok, type Reply } from '../provider/operation.ts';
import { refuse } from '../provider/refusal.ts';
import { attempt, send } from '../provider/reply.ts';
import { isoTime } from '../time.ts';
import { stepBack } from './clock.ts';
import { readFaultConfiguration } from './configuration.ts';
import { lateRequests, receiveNow } from './late.ts';
import { readRequestedFault } from './requested.ts';
import { report } from './resource-changed.ts';
import { makeTwin } from './twins.ts';
import { vanish } from './vanished.ts';

type Fields = Record<string, unknown>;

/** The operations for which single faults can be requested. */
export const OPERATIONS = Object.keys(handlers);

export function faultInjectionRoutes({ faultInjection }: SandboxContext): Router {
  const router = Router();
  const route = (method: 'get' | 'put' | 'post' | 'delete', path: string, work: (body: unknown) => Reply) =>
    router[method](path, (request, response) => {
      send(
        response,
        attempt(() => work(request.body)),
      );
    });
  const configuration = () => ok(faultInjection.configuration());
  route('get', '/', configuration);
  route('put', '/', (body) => {
    faultInjection.configure(readFaultConfiguration(body));
    return configuration();
  });
  route('delete', '/', () => {
    faultInjection.clear();
    return configuration();
  });
  route('get', '/next', () => ok({ results: faultInjection.requested.list() }));
  route('post', '/next', (body) => {
    const fault = readRequestedFault(body, OPERATIONS);
    faultInjection.requested.add(fault);
    return created(fault);
  });
  route('get', '/faults', () => ok(faultInjection.counts()));
  route('delete', '/faults', () => {
    faultInjection.forgetCounts();
    return ok(faultInjection.counts());
  });
  return router;
}

export function faultRoutes(context: SandboxContext): Router {
  const router = Router();
  const { store, faultInjection } = context;
  const control = (path: string, work: (fields: Fields) => Reply) =>
    router.post(path, (request, response) => {
      const fields = (request.body ?? {}) as Fields;
      send(
        response,
        attempt(() => store.transaction(() => work(fields))),
      );
    });

  router.get('/injected', (request, response) => {
    const { about } = request.query;
    const rows = faultInjection.injected(typeof about === 'string' ? about : undefined);
    const results = rows.map(({ id: _id, at, details, ...row }) => ({
      ...row,
      at: isoTime(at),
      details: JSON.parse(details) as object,
    }));
    send(response, ok({ results }));
  });
  router.get('/late', (_request, response) => send(response, ok({ results: lateRequests(context) })));
  control('/late/receive', ({ about = '' }) => ok({ received: receiveNow(context, textIn(about, 'about')) }));
  control('/twin', ({ uuid }) => makeTwin(context, textIn(uuid, 'uuid')));
  control('/report', ({ uuid, fields }) => ok(report(context, uuidIn(uuid), fields)));
  control('/vanish', ({ uuid, by_uuid = true, by_handle = false, forMs = null }) => {
    const absence = { by_uuid: flagIn(by_uuid, 'by_uuid'), by_handle: flagIn(by_handle, 'by_handle') };
    return ok(vanish(context, uuidIn(uuid), absence, forMs === null ? null : msIn(forMs, 'forMs')));
  });
  control('/reappear', ({ uuid }) => {
    faultInjection.lasting.end('vanished', uuidIn(uuid));
    return ok({ uuid: uuidIn(uuid) });
  });
  control('/clock-jump', ({ backMs, forMs }) => {
    const jump = { backMs: msIn(backMs, 'backMs'), forMs: msIn(forMs, 'forMs') };
    return ok(stepBack(context, { uuid: null, originId: null }, jump));
  });
  return router;
}

function textIn(value: unknown, name: string): string {
  if (typeof value !== 'string') throw refuse('invalid_request', `${name} must be text`);
  return value;
}

const uuidIn = (value: unknown): string => textIn(value, 'uuid').toLowerCase();

function flagIn(value: unknown, name: string): boolean {
  if (typeof value !== 'boolean') throw refuse('invalid_request', `${name} must be true or false`);
  return value;
}

function msIn(value: unknown, name: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
  throw refuse('invalid_request', `${name} must be a whole number`);
}

// The page of fault injection: the same functions as over HTTP, in forms.
import { type Response, Router } from 'express';
import type { SandboxContext } from '../context.ts';
import { faultInjectionPage } from '../pages/fault-injection.ts';
import { Refusal, refuse } from '../provider/refusal.ts';
import { readFaultConfiguration } from './configuration.ts';
import { readRequestedFault } from './requested.ts';
import { OPERATIONS } from './routes.ts';

type Fields = Record<string, string>;

export function faultInjectionPageRoutes({ faultInjection }: SandboxContext): Router {
  const router = Router();
  const show = (response: Response, status: number, fault?: string) =>
    response
      .status(status)
      .type('html')
      .send(faultInjectionPage(faultInjection, OPERATIONS, fault));
  const change = (path: string, work: (fields: Fields) => void) =>
    router.post(path, (request, response) => {
      try {
        work((request.body ?? {}) as Fields);
        response.redirect(303, '/fault-injection');
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        show(response, error.status, error.message);
      }
    });

  router.get('/', (_request, response) => void show(response, 200));
  change('/', (fields) => faultInjection.configure(readFaultConfiguration(nested(fields))));
  change('/clear', () => faultInjection.clear());
  change('/next', (fields) =>
    faultInjection.requested.add(readRequestedFault(requestIn(fields), OPERATIONS)),
  );
  change('/forget', () => faultInjection.forgetCounts());
  return router;
}

/** Turns `replies.dropped=0.1` into `{ replies: { dropped: 0.1 } }`. */
function nested(fields: Fields): object {
  const configuration: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(filled(fields))) {
    const [group = '', name] = path.split('.');
    if (name === undefined) configuration[group] = value;
    else configuration[group] = { ...(configuration[group] as object | undefined), [name]: value };
  }
  return configuration;
}

/** The details are JSON in a separate field. */
function requestIn(fields: Fields): object {
  const { details = '', ...others } = fields;
  const order = filled(others);
  if (details.trim() === '') return order;
  try {
    return { ...order, details: JSON.parse(details) as unknown };
  } catch {
    throw refuse('invalid_request', 'details must be a JSON object');
  }
}

/** Omits empty fields and turns numeric text into numbers, except in the field `about`. */
function filled(fields: Fields): Record<string, unknown> {
  const nonEmpty = Object.entries(fields).filter(([, value]) => value.trim() !== '');
  return Object.fromEntries(
    nonEmpty.map(([name, value]) => [
      name,
      name === 'about' || Number.isNaN(Number(value)) ? value : Number(value),
    ]),
  );
}

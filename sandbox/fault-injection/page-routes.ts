// The weather by its page: the same as by calls, in forms.
import { type Response, Router } from 'express';
import { weatherPage } from '../pages/fault-injection.ts';
import { Refusal, refuse } from '../provider/refusal.ts';
import type { World } from '../world.ts';
import { readForecast } from './configuration.ts';
import { readOrderedFault } from './ordered.ts';
import { OPERATIONS } from './routes.ts';

type Fields = Record<string, string>;

export function weatherPageRoutes({ weather }: World): Router {
  const router = Router();
  const show = (response: Response, status: number, fault?: string) =>
    response
      .status(status)
      .type('html')
      .send(weatherPage(weather, OPERATIONS, fault));
  const change = (path: string, work: (fields: Fields) => void) =>
    router.post(path, (request, response) => {
      try {
        work((request.body ?? {}) as Fields);
        response.redirect(303, '/weather');
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        show(response, error.status, error.message);
      }
    });

  router.get('/', (_request, response) => void show(response, 200));
  change('/', (fields) => weather.change(readForecast(nested(fields))));
  change('/clear', () => weather.clear());
  change('/next', (fields) => weather.ordered.add(readOrderedFault(orderIn(fields), OPERATIONS)));
  change('/forget', () => weather.forgetCounts());
  return router;
}

/** `replies.dropped=0.1` as `{ replies: { dropped: 0.1 } }`. */
function nested(fields: Fields): object {
  const forecast: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(filled(fields))) {
    const [group = '', name] = path.split('.');
    if (name === undefined) forecast[group] = value;
    else forecast[group] = { ...(forecast[group] as object | undefined), [name]: value };
  }
  return forecast;
}

/** An order, whose details are JSON in a field of their own. */
function orderIn(fields: Fields): object {
  const { details = '', ...others } = fields;
  const order = filled(others);
  if (details.trim() === '') return order;
  try {
    return { ...order, details: JSON.parse(details) as unknown };
  } catch {
    throw refuse('invalid_request', 'details must be a JSON object');
  }
}

/** Empty fields are fields not given; what reads as a number is one, but for the text it may be about. */
function filled(fields: Fields): Record<string, unknown> {
  const given = Object.entries(fields).filter(([, value]) => value.trim() !== '');
  return Object.fromEntries(
    given.map(([name, value]) => [
      name,
      name === 'about' || Number.isNaN(Number(value)) ? value : Number(value),
    ]),
  );
}

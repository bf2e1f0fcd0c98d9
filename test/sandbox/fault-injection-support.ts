// Sets the sandbox's weather over HTTP, and sees what a client sees of a call in it.
import type { Forecast } from '../../sandbox/fault-injection/configuration.ts';
import type { OrderedFault } from '../../sandbox/fault-injection/ordered.ts';
import { type Answer, headersFor, type Upstream } from './support.ts';

export type AskedForecast = { [Name in keyof Forecast]?: Partial<Forecast[Name]> };

export interface Seen {
  /** 0 when no headers came. */
  status: number;
  /** What came of the body. */
  text: string;
  headers: Record<string, string>;
  /** Why it ended before its end. */
  fault: string | null;
}

async function control<Body>(
  upstream: Upstream,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer<Body>> {
  const response = await fetch(`${upstream.url}/sandbox/weather${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Answer<Body>['body'] };
}

export const putWeather = (upstream: Upstream, forecast: unknown) =>
  control<Forecast & { detail?: string }>(upstream, 'PUT', '', forecast);

/** Sets the weather; throws when the sandbox does not take it. */
export async function weather(upstream: Upstream, forecast: AskedForecast): Promise<void> {
  const { status, body } = await putWeather(upstream, forecast);
  if (status !== 200) throw new Error(body.detail);
}

export const readWeather = (upstream: Upstream) => control<Forecast>(upstream, 'GET', '');
export const clearWeather = (upstream: Upstream) => control<Forecast>(upstream, 'DELETE', '');

export const orderFault = (upstream: Upstream, fault: Partial<OrderedFault>) =>
  control<OrderedFault & { detail?: string }>(upstream, 'POST', '/next', fault);
export const readOrders = async (upstream: Upstream) =>
  (await control<{ results: OrderedFault[] }>(upstream, 'GET', '/next')).body.results;

/** The counts that are not zero. */
export async function faults(upstream: Upstream): Promise<Record<string, number>> {
  const { body } = await control<Record<string, number>>(upstream, 'GET', '/faults');
  return Object.fromEntries(Object.entries(body).filter(([, count]) => count !== 0)) as Record<
    string,
    number
  >;
}
export const forgetFaults = (upstream: Upstream) =>
  control<Record<string, number>>(upstream, 'DELETE', '/faults');

/** Calls as a client with little patience, and keeps whatever came. */
export async function see(upstream: Upstream, path: string, body?: object, patienceMs = 1000): Promise<Seen> {
  const seen: Seen = { status: 0, text: '', headers: {}, fault: null };
  try {
    const response = await fetch(upstream.url + path, {
      headers: headersFor(upstream),
      redirect: 'manual',
      signal: AbortSignal.timeout(patienceMs),
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    seen.status = response.status;
    seen.headers = Object.fromEntries(response.headers);
    for await (const chunk of response.body ?? []) seen.text += Buffer.from(chunk).toString();
  } catch (error) {
    const { name, cause } = error as Error & { cause?: { code?: string } };
    seen.fault = cause?.code ?? name;
  }
  return seen;
}

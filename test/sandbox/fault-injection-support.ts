// Configures the sandbox's fault injection over HTTP, and records what a client sees of a call with faults.
import type { FaultConfiguration } from '../../sandbox/faults/configuration.ts';
import type { RequestedFault } from '../../sandbox/faults/requested.ts';
import { type Answer, headersFor, ledger, type Upstream } from './support.ts';

export type AskedFaults = { [Name in keyof FaultConfiguration]?: Partial<FaultConfiguration[Name]> };

export interface Seen {
  /** The status of the reply. 0 if no headers arrived. */
  status: number;
  /** The part of the body that arrived. */
  text: string;
  headers: Record<string, string>;
  /** Why the reply ended early. */
  fault: string | null;
}

async function control<Body>(
  upstream: Upstream,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer<Body>> {
  const response = await fetch(`${upstream.url}/sandbox/fault-injection${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Answer<Body>['body'] };
}

export const configureFaults = (upstream: Upstream, configuration: unknown) =>
  control<FaultConfiguration & { detail?: string }>(upstream, 'PUT', '', configuration);

/**
 * Configures fault injection.
 * @throws if the sandbox refuses the configuration.
 */
export async function injectFaults(upstream: Upstream, configuration: AskedFaults): Promise<void> {
  const { status, body } = await configureFaults(upstream, configuration);
  if (status !== 200) throw new Error(body.detail);
}

export const readFaults = (upstream: Upstream) => control<FaultConfiguration>(upstream, 'GET', '');
export const stopFaults = (upstream: Upstream) => control<FaultConfiguration>(upstream, 'DELETE', '');

export const orderFault = (upstream: Upstream, fault: Partial<RequestedFault>) =>
  control<RequestedFault & { detail?: string }>(upstream, 'POST', '/next', fault);
export const readOrders = async (upstream: Upstream) =>
  (await control<{ results: RequestedFault[] }>(upstream, 'GET', '/next')).body.results;

/** Returns the counts that are not zero. */
export async function faults(upstream: Upstream): Promise<Record<string, number>> {
  const { body } = await control<Record<string, number>>(upstream, 'GET', '/faults');
  return Object.fromEntries(Object.entries(body).filter(([, count]) => count !== 0)) as Record<
    string,
    number
  >;
}
export const forgetFaults = (upstream: Upstream) =>
  control<Record<string, number>>(upstream, 'DELETE', '/faults');

/** Ends all faults after a test. @throws if they have left the books out of balance. */
export async function endFaults(upstream: Upstream): Promise<void> {
  await stopFaults(upstream);
  await forgetFaults(upstream);
  if (!(await ledger(upstream)).balanced) throw new Error('the books are wrong');
}

/** Makes a call as a client with little patience, and keeps whatever arrives. */
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

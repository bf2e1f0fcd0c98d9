// Requests the sandbox's faults for tests: single faults for single calls, the provider's clock, and the list of injected faults.
// `sandboxUrl` is the address of a world's sandbox, or of a sandbox alone.

import { OPERATION_SETS } from '../../sandbox/faults/registry.ts';
import type { RequestedFault } from '../../sandbox/faults/requested.ts';

export type InjectedFault = {
  kind: string;
  resource_uuid: string | null;
  origin_id: string | null;
  at: string;
  details: Record<string, unknown>;
};

export type LateRequest = {
  operation: string;
  request: { params: Record<string, string>; query: object; body: Record<string, unknown> };
  sent_at: string;
  due_at: string;
  /** Null until the provider receives the request. Then `status` and `reply` are its result. */
  received_at: string | null;
  status: number | null;
  reply: { uuid?: string; code?: string } | null;
};

/** Injects the fault into the next `times` (1) calls of the operation. sandbox/README.md lists the faults. */
export const orderFault = (sandboxUrl: string, fault: Partial<RequestedFault>): Promise<RequestedFault> =>
  ask(`${sandboxUrl}/sandbox/fault-injection/next`, fault);

/** Sets the provider's clock forward. Everything that becomes due happens: late requests arrive, payouts settle, quotes expire. */
export const advanceProviderClock = (sandboxUrl: string, advanceMs: number): Promise<{ now: string }> =>
  ask(`${sandboxUrl}/sandbox/clock`, { advanceMs });

export const lateRequests = async (sandboxUrl: string): Promise<LateRequest[]> =>
  (await ask<{ results: LateRequest[] }>(`${sandboxUrl}/sandbox/faults/late`)).results;

/**
 * Makes the late requests that contain the text arrive now.
 * @returns how many there are. They are processed a moment later.
 */
export const receiveLateRequests = async (sandboxUrl: string, about = ''): Promise<number> =>
  (await ask<{ received: number }>(`${sandboxUrl}/sandbox/faults/late/receive`, { about })).received;

/**
 * Gives a payout, transfer, account or owner a twin now: the same handle, another uuid. The provider pays what the account does not
 * cover of a payout's twin.
 * @returns the twin.
 */
export const makeTwin = (sandboxUrl: string, uuid: string): Promise<{ uuid: string }> =>
  ask(`${sandboxUrl}/sandbox/faults/twin`, { uuid });

/**
 * From now on, answers and callbacks report these fields of a resource with these values, true or not: its amount, its currency,
 * its status. Without fields, they report the truth again.
 */
export const misreport = (sandboxUrl: string, uuid: string, fields: object): Promise<object> =>
  ask(`${sandboxUrl}/sandbox/faults/report`, { uuid, fields });

/**
 * From now on, GET by the uuid answers 404, until the fault is ended, or for `forMs`. With `by_handle`, look-ups and lists also
 * omit the resource, and a repeated creation makes it again. `by_uuid: false` does not affect the GET.
 */
export const vanish = (
  sandboxUrl: string,
  uuid: string,
  how: { by_uuid?: boolean; by_handle?: boolean; forMs?: number } = {},
): Promise<object> => ask(`${sandboxUrl}/sandbox/faults/vanish`, { uuid, ...how });

export const reappear = (sandboxUrl: string, uuid: string): Promise<object> =>
  ask(`${sandboxUrl}/sandbox/faults/reappear`, { uuid });

/** Stamps changes `backMs` too early for `forMs`: a resource's `updated_at` can be older than the previous one. */
export const stepProviderClockBack = (sandboxUrl: string, backMs: number, forMs: number): Promise<object> =>
  ask(`${sandboxUrl}/sandbox/faults/clock-jump`, { backMs, forMs });

/**
 * From now on, every GET shows the state `lagMs` ago. A look-up by handle still shows every write that was answered before it.
 * Clearing the sandbox's faults ends this.
 */
export async function lagReads(sandboxUrl: string, lagMs: number): Promise<void> {
  for (const operation of OPERATION_SETS.reads)
    await orderFault(sandboxUrl, { operation, fault: 'laggingRead', times: 1_000_000, details: { lagMs } });
}

/** Ends all faults: random and requested ones, and vanished resources. */
export async function clearFaults(sandboxUrl: string): Promise<void> {
  const response = await fetch(`${sandboxUrl}/sandbox/fault-injection`, { method: 'DELETE' });
  if (!response.ok) throw new Error(`clearing the faults answered ${response.status}`);
}

/** @param about the uuid or the handle of a resource. */
export const injectedFaults = async (sandboxUrl: string, about?: string): Promise<InjectedFault[]> => {
  const query = about === undefined ? '' : `?about=${encodeURIComponent(about)}`;
  return (await ask<{ results: InjectedFault[] }>(`${sandboxUrl}/sandbox/faults/injected${query}`)).results;
};

/** Sends a POST if there is a body, and a GET otherwise. */
async function ask<Reply>(address: string, body?: object): Promise<Reply> {
  const response = await fetch(address, {
    ...(body && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  if (!response.ok) throw new Error(`${address} answered ${response.status}: ${await response.text()}`);
  return response.json() as Promise<Reply>;
}

// Orders the sandbox's faults for tests: single faults for single calls, the provider's clock, and the list of injected
// ones. `sandboxUrl` is that of a world, or of a sandbox alone.

import type { OrderedFault } from '../../sandbox/fault-injection/ordered.ts';
import { CATALOGUE } from '../../sandbox/faults/catalogue.ts';

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
  /** Null until the provider receives it; `status` and `reply` are its result then. */
  received_at: string | null;
  status: number | null;
  reply: { uuid?: string; code?: string } | null;
};

/** The fault is injected into the next `times` (1) calls of the operation; see sandbox/README.md for what there is. */
export const orderFault = (sandboxUrl: string, fault: Partial<OrderedFault>): Promise<OrderedFault> =>
  ask(`${sandboxUrl}/sandbox/fault-injection/next`, fault);

/** Everything due by then happens: late requests arrive, payouts settle, quotes expire. */
export const advanceProviderClock = (sandboxUrl: string, advanceMs: number): Promise<{ now: string }> =>
  ask(`${sandboxUrl}/sandbox/clock`, { advanceMs });

export const lateRequests = async (sandboxUrl: string): Promise<LateRequest[]> =>
  (await ask<{ results: LateRequest[] }>(`${sandboxUrl}/sandbox/faults/late`)).results;

/** Makes late requests that contain the text arrive now. @returns how many these are; they are processed a moment later. */
export const receiveLateRequests = async (sandboxUrl: string, about = ''): Promise<number> =>
  (await ask<{ received: number }>(`${sandboxUrl}/sandbox/faults/late/receive`, { about })).received;

/**
 * Gives a payout, transfer, account or owner a twin now: the same handle, another uuid. The provider bears what the
 * account does not cover of a payout's twin. @returns the twin.
 */
export const makeTwin = (sandboxUrl: string, uuid: string): Promise<{ uuid: string }> =>
  ask(`${sandboxUrl}/sandbox/faults/twin`, { uuid });

/**
 * From now on these fields of a resource are reported with these values, in answers and in callbacks, true or not: its
 * amount, its currency, its status. No fields: the truth again.
 */
export const misreport = (sandboxUrl: string, uuid: string, fields: object): Promise<object> =>
  ask(`${sandboxUrl}/sandbox/faults/report`, { uuid, fields });

/**
 * GET by its uuid answers 404 from now on, until the fault is ended, or for `forMs`. With `by_handle`, look-ups and
 * lists omit it too, and a repeated creation makes it again; `by_uuid: false` leaves the GET as it is.
 */
export const vanish = (
  sandboxUrl: string,
  uuid: string,
  how: { by_uuid?: boolean; by_handle?: boolean; forMs?: number } = {},
): Promise<object> => ask(`${sandboxUrl}/sandbox/faults/vanish`, { uuid, ...how });

export const reappear = (sandboxUrl: string, uuid: string): Promise<object> =>
  ask(`${sandboxUrl}/sandbox/faults/reappear`, { uuid });

/** Changes are stamped `backMs` too early for `forMs`: a thing's `updated_at` can be older than the one before. */
export const stepProviderClockBack = (sandboxUrl: string, backMs: number, forMs: number): Promise<object> =>
  ask(`${sandboxUrl}/sandbox/faults/clock-jump`, { backMs, forMs });

/**
 * From now on every GET shows the state `lagMs` ago; a look-up by handle still has every write that was answered before
 * it. Ends when the sandbox's faults are cleared.
 */
export async function lagReads(sandboxUrl: string, lagMs: number): Promise<void> {
  for (const operation of CATALOGUE.laggingRead.operations)
    await orderFault(sandboxUrl, { operation, fault: 'laggingRead', times: 1_000_000, details: { lagMs } });
}

/** Ends all faults: no chances, no orders, nothing vanished. */
export async function clearFaults(sandboxUrl: string): Promise<void> {
  const response = await fetch(`${sandboxUrl}/sandbox/fault-injection`, { method: 'DELETE' });
  if (!response.ok) throw new Error(`clearing the faults answered ${response.status}`);
}

/** @param about the uuid or the handle of a resource. */
export const injectedFaults = async (sandboxUrl: string, about?: string): Promise<InjectedFault[]> => {
  const query = about === undefined ? '' : `?about=${encodeURIComponent(about)}`;
  return (await ask<{ results: InjectedFault[] }>(`${sandboxUrl}/sandbox/faults/injected${query}`)).results;
};

/** GET, or POST where there is a body. */
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

// Whether a fault of the provider's own is injected here: because it was ordered for this call, or because the seed says so.

import type { ProviderFault } from '../fault-injection/kinds.ts';
import { type Call, handleOf, textOf } from '../provider/operation.ts';
import type { World } from '../world.ts';
import type { FaultDetails } from './catalogue.ts';

export interface Occurrence {
  /** What the order says; empty when it was the seed. */
  details: FaultDetails;
  /** From 0 to 1: how, or how much, where an order says nothing about that. An order takes as much as there may be. */
  how: number;
}

/**
 * Call it inside the transaction that the fault is part of: when that is undone, an order is still there, and the
 * occasion was none. Each operation's occasions are counted for themselves.
 */
export function shouldInject(world: World, fault: ProviderFault, call: Call): Occurrence | null {
  const { faultInjection } = world;
  if (faultInjection.isOff()) return null;
  const kind = `provider.${fault}` as const;
  const ordered = faultInjection.ordered.take([fault], call.operation, () => textOf(call));
  if (ordered) return { details: ordered.details, how: 1 };
  if (faultInjection.configuration().provider[fault] === 0) return null;
  const occurrence = faultInjection.occurrenceOf(`${kind} in ${call.operation}`);
  return occurrence.shouldInject(kind) ? { details: {}, how: occurrence.variant(kind) } : null;
}

/** Counts and records a fault that was injected. @returns the record's id. */
export function recordInjected(
  world: World,
  fault: ProviderFault,
  about: { uuid: string | null; originId: string | null },
  details: object,
): number {
  const kind = `provider.${fault}` as const;
  world.faultInjection.count(kind);
  const { uuid: resourceUuid, originId } = about;
  return world.faultInjection.injected.add({ kind, resourceUuid, originId, details }, world.now());
}

/** What a call is about, before its resource is known. */
export const subjectOf = (call: Call) => ({ uuid: call.params['uuid'] ?? null, originId: handleOf(call) });

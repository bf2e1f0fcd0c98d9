// Decides whether a provider fault is injected into a call: because it was requested, or because of the seed.

import type { ProviderFault } from '../fault-injection/kinds.ts';
import { type Call, handleOf, textOf } from '../provider/operation.ts';
import type { World } from '../world.ts';
import type { FaultDetails } from './catalogue.ts';

export interface Occurrence {
  /** The details of a requested fault. Empty if the seed chose the fault. */
  details: FaultDetails;
  /**
   * A number from 0 to 1 that chooses the variant or the size if the details do not name it. A requested fault uses the largest.
   */
  how: number;
}

/**
 * Decides whether the fault is injected. Call it inside the transaction that the fault is part of: a rollback then restores the
 * request and the count. Occurrences are counted per operation.
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

/**
 * Counts and records an injected fault.
 * @returns the record's id.
 */
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

/** Identifies the resource of a call before it exists. */
export const subjectOf = (call: Call) => ({ uuid: call.params['uuid'] ?? null, originId: handleOf(call) });

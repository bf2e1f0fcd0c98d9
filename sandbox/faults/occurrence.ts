// Decides whether a fault is injected into a call: because it was requested, or because of the seed.

import type { SandboxContext } from '../context.ts';
import { type Call, handleOf, textOf } from '../provider/operation.ts';
import type { About } from './fault-injection.ts';
import {
  type BusinessFault,
  FAULTS,
  type FaultDetails,
  type ProviderFault,
  type ProviderParameter,
} from './registry.ts';

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
export function shouldInject(
  { faultInjection }: SandboxContext,
  fault: ProviderFault,
  call: Call | undefined,
): Occurrence | null {
  const { operations } = FAULTS.provider[fault];
  if (!call || faultInjection.isOff() || operations?.includes(call.operation) === false) return null;
  const kind = `provider.${fault}` as const;
  const requested = faultInjection.requested.take([fault], call.operation, () => textOf(call));
  if (requested) return { details: requested.details, how: 1 };
  if (faultInjection.configuration().provider[fault] === 0) return null;
  const occurrence = faultInjection.occurrenceOf(`${kind} in ${call.operation}`);
  return occurrence.shouldInject(kind) ? { details: {}, how: occurrence.variant(kind) } : null;
}

/** Decides about a fault of the business. It is counted in the caller's transaction, so a refused call counts none. */
export function injectBusiness(
  { faultInjection }: SandboxContext,
  fault: BusinessFault,
): { how: number } | null {
  if (faultInjection.isOff()) return null;
  const kind = `business.${fault}` as const;
  const occurrence = faultInjection.occurrenceOf(kind);
  if (!occurrence.shouldInject(kind)) return null;
  faultInjection.count(kind);
  return { how: occurrence.variant(kind) };
}

/** The value of a parameter: as requested, or as configured. */
export const parameter = (
  context: SandboxContext,
  { details }: Occurrence,
  name: ProviderParameter,
): number => Number(details[name] ?? context.faultInjection.configuration().provider[name]);

/** A value up to the parameter: as requested, or a random part of what is configured. */
export const partOf = (
  context: SandboxContext,
  { details, how }: Occurrence,
  name: ProviderParameter,
): number => Number(details[name] ?? Math.ceil(how * context.faultInjection.configuration().provider[name]));

/** Returns one of the values, evenly. `how` is a number from 0 to 1. */
export const oneOf = <Value>(values: readonly Value[], how: number): Value =>
  values[Math.min(Math.floor(how * values.length), values.length - 1)] as Value;

/**
 * Counts and records an injected fault.
 * @returns the record's id.
 */
export function recordInjected(
  context: SandboxContext,
  fault: ProviderFault,
  about: About,
  details: object,
): number {
  const kind = `provider.${fault}` as const;
  context.faultInjection.count(kind);
  return context.faultInjection.record(kind, about, details, context.now());
}

/** Identifies the resource of a call before it exists. */
export const subjectOf = (call: Call): About => ({
  uuid: call.params['uuid'] ?? null,
  originId: handleOf(call),
});

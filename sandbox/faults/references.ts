// How a movement names the conversion or payout that caused it. The contract leaves that open: by the caller's handle, by the provider's
// uuid, or not at all. A provider may mix them. The store always keeps the handle.
import { chance } from '../fault-injection/chance.ts';
import { REFERENCES, type References } from '../options.ts';
import type { Call } from '../provider/operation.ts';
import type { World } from '../world.ts';
import { recordInjected, shouldInject, subjectOf } from './occurrence.ts';

const NAMES = ['handle', 'uuid', 'nothing'] as const;

/** Decides whether the movements of a new conversion or payout will name it in another way than the others. */
export function maybeNameOtherwise(world: World, call: Call, uuid: string): void {
  const occurrence = shouldInject(world, 'otherReferences', call);
  if (!occurrence) return;
  const references = occurrence.details['references'] ?? oneOf(REFERENCES.slice(1), occurrence.how);
  world.faultInjection.active.begin('otherReferences', uuid, null, { references });
  recordInjected(world, 'otherReferences', { ...subjectOf(call), uuid }, { references });
}

/**
 * Returns how a new movement names its conversion or payout, null if it does not.
 * @param nth the number of the movement. A mixed choice depends on it and on the seed, and not on ids.
 */
export function referenceTo(
  world: World,
  { handle, uuid }: { handle: string | null; uuid: string },
  nth: number,
): string | null {
  const { faultInjection, options } = world;
  const active = faultInjection.active.find('otherReferences', uuid, world.now());
  const references = (active?.['references'] as References | undefined) ?? options.references;
  const { seed } = faultInjection.configuration();
  const name = references === 'mixed' ? oneOf(NAMES, chance(seed, 'references', nth)) : references;
  return { handle, uuid, nothing: null }[name];
}

/** @param how a number from 0 to 1. */
const oneOf = <Value>(values: readonly Value[], how: number): Value =>
  values[Math.min(Math.floor(how * values.length), values.length - 1)] as Value;

// Twins: a second object under a handle that is known already. It is as real as the first, and moves money as it does.
import type { Call } from '../provider/operation.ts';
import type { World } from '../world.ts';
import { recordInjected, shouldInject, subjectOf } from './occurrence.ts';

/** Whether the provider has forgotten that it knows this handle. */
export const isHandleForgotten = (world: World, call: Call): boolean =>
  call.isTwin === true || shouldInject(world, 'forgottenHandle', call) !== null;

/** Whether a twin is paid although the account does not hold enough for it. */
export const isPaidUnfunded = (world: World, call: Call): boolean =>
  call.isTwin === true || shouldInject(world, 'unfundedTwin', call) !== null;

/** @param missing what the account lacked for it, in minor units. */
export function recordTwin(world: World, call: Call, uuid: string, twinOf: string, missing = 0): void {
  const about = { ...subjectOf(call), uuid };
  recordInjected(world, 'forgottenHandle', about, { twin_of: twinOf });
  if (missing > 0) recordInjected(world, 'unfundedTwin', about, { missing });
}

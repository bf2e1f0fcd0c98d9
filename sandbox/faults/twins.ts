// Twins: a second object under a known handle. A twin is as real as the first object, and moves money like it.
import { type Call, handleOf } from '../provider/operation.ts';
import type { World } from '../world.ts';
import { recordInjected, shouldInject, subjectOf } from './occurrence.ts';

const KNOWN: Partial<Record<Call['operation'], string>> = {
  createOwner: 'select uuid from owners where external_id = ? order by seq limit 1',
  createAccount: 'select uuid from accounts where external_id = ? order by seq limit 1',
  createInternalTransfer: 'select uuid from transfers where origin_id = ? order by seq limit 1',
  createPayout: 'select uuid from payouts where origin_id = ? order by seq limit 1',
};

/**
 * Makes the provider forget a known handle, if the fault is injected. Call it outside the call's transaction. Otherwise, if the
 * twin is refused because the balance does not cover it, the next repetition would have the same fault.
 */
export function maybeForgetHandle(world: World, call: Call): void {
  const sql = KNOWN[call.operation];
  const first = sql && world.store.get<{ uuid: string }>(sql, handleOf(call));
  if (!first || !shouldInject(world, 'forgottenHandle', call)) return;
  const isUnfunded = call.operation === 'createPayout' && shouldInject(world, 'unfundedTwin', call) !== null;
  const about = { ...subjectOf(call), uuid: null };
  const faultId = recordInjected(world, 'forgottenHandle', about, { twin_of: first.uuid });
  call.twin = { isForced: false, isUnfunded, faultId };
}

/** @param missing the amount that the account lacked for the twin, in minor units. */
export function recordTwin(world: World, call: Call, uuid: string, twinOf: string, missing = 0): void {
  const about = { ...subjectOf(call), uuid };
  const faultId = call.twin?.faultId ?? recordInjected(world, 'forgottenHandle', about, { twin_of: twinOf });
  world.faultInjection.injected.name(faultId, uuid);
  if (missing > 0) recordInjected(world, 'unfundedTwin', about, { missing });
}

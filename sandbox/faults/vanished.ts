// Resources that vanish: for a while the provider does not know them by their uuid, and optionally not by their handle. Their
// planned steps still happen, and they reappear with the state that they have then.
import { type Call, idOf } from '../provider/operation.ts';
import { refuse } from '../provider/refusal.ts';
import { isoTimeOrNull } from '../time.ts';
import type { World } from '../world.ts';
import { CATALOGUE } from './catalogue.ts';
import { recordInjected, shouldInject } from './occurrence.ts';

export interface Absence {
  /** Whether GET by uuid answers 404. */
  by_uuid: boolean;
  /** Whether look-ups and lists omit the resource, and a creation does not find it. */
  by_handle: boolean;
}

const TABLES = ['owners', 'accounts', 'transfers', 'payouts'] as const;

/** Makes the call's resource vanish, if the fault is injected. Call it outside the call's transaction, which a 404 rolls back. */
export function maybeVanish(world: World, call: Call): void {
  if (!CATALOGUE.vanished.operations.includes(call.operation)) return;
  const uuid = idOf(call);
  if (absenceOf(world, uuid) || handleIn(world, uuid) === undefined) return;
  const occurrence = shouldInject(world, 'vanished', call);
  if (!occurrence) return;
  const forMs = Number(
    occurrence.details['vanishedForMs'] ?? world.faultInjection.configuration().provider.vanishedForMs,
  );
  const by_handle = shouldInject(world, 'vanishedHandle', call) !== null;
  vanish(world, uuid, { by_uuid: true, by_handle }, forMs);
}

/**
 * Makes a resource vanish.
 * @param forMs null lasts until it is ended.
 * @throws 404 if there is no such resource.
 */
export function vanish(world: World, uuid: string, absence: Absence, forMs: number | null): object {
  const originId = handleIn(world, uuid);
  if (originId === undefined) throw refuse('not_found', 'no such owner, account, transfer or payout');
  const until = forMs === null ? null : world.now() + forMs;
  world.faultInjection.active.begin('vanished', uuid, until, { ...absence });
  const details = { ...absence, until: isoTimeOrNull(until) };
  recordInjected(world, 'vanished', { uuid, originId }, details);
  if (absence.by_handle) recordInjected(world, 'vanishedHandle', { uuid, originId }, details);
  return { uuid, ...details };
}

export function reappear(world: World, uuid: string): object {
  world.faultInjection.active.end('vanished', uuid);
  return { uuid };
}

/** @throws 404 while the provider does not know the uuid. */
export function assertPresent(world: World, uuid: string): void {
  if (absenceOf(world, uuid)?.by_uuid) throw refuse('not_found', 'no such resource');
}

/** Whether lists and look-ups by its handle include the resource. */
export const isFindable = (world: World, { uuid }: { uuid: string }): boolean =>
  !absenceOf(world, uuid)?.by_handle;

const absenceOf = (world: World, uuid: string) =>
  world.faultInjection.active.find('vanished', uuid, world.now()) as Absence | undefined;

/** The handle of the owner, account, transfer or payout with this uuid. */
function handleIn({ store }: World, uuid: string): string | undefined {
  for (const table of TABLES) {
    const handle = table === 'owners' || table === 'accounts' ? 'external_id' : 'origin_id';
    const row = store.get<{ handle: string }>(
      `select ${handle} as handle from ${table} where uuid = ?`,
      uuid,
    );
    if (row) return row.handle;
  }
  return undefined;
}

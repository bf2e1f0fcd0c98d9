// Resources that vanish: for a while the provider does not know them by their uuid, and optionally not by their handle. Their
// planned steps still happen, and they reappear with the state that they have then.
import { type Call, idOf } from '../provider/operation.ts';
import { refuse } from '../provider/refusal.ts';
import { HANDLE, RESOURCES } from '../store/rows.ts';
import { isoTimeOrNull } from '../time.ts';
import type { World } from '../world.ts';
import { parameter, recordInjected, shouldInject } from './occurrence.ts';

interface Absence {
  /** Whether GET by uuid answers 404. */
  by_uuid: boolean;
  /** Whether look-ups and lists omit the resource, and a creation does not find it. */
  by_handle: boolean;
}

/** Makes the call's resource vanish, if the fault is injected. Call it outside the call's transaction, which a 404 rolls back. */
export function maybeVanish(world: World, call: Call): void {
  const uuid = idOf(call);
  if (absenceOf(world, uuid) || handleIn(world, uuid) === undefined) return;
  const occurrence = shouldInject(world, 'vanished', call);
  if (!occurrence) return;
  const by_handle = shouldInject(world, 'vanishedHandle', call) !== null;
  vanish(world, uuid, { by_uuid: true, by_handle }, parameter(world, occurrence, 'vanishedForMs'));
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
  world.faultInjection.lasting.begin('vanished', uuid, until, { ...absence });
  const details = { ...absence, until: isoTimeOrNull(until) };
  recordInjected(world, 'vanished', { uuid, originId }, details);
  if (absence.by_handle) recordInjected(world, 'vanishedHandle', { uuid, originId }, details);
  return { uuid, ...details };
}

export const absenceOf = (world: World, uuid: string) =>
  world.faultInjection.lasting.find('vanished', uuid, world.now()) as Absence | undefined;

function handleIn({ store }: World, uuid: string): string | undefined {
  for (const table of RESOURCES) {
    const sql = `select ${HANDLE[table]} as handle from ${table} where uuid = ?`;
    const row = store.get<{ handle: string }>(sql, uuid);
    if (row) return row.handle;
  }
  return undefined;
}

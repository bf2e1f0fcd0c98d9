// Resources that vanish: for a while the provider does not know them by their uuid, and optionally not by their handle. Their
// planned steps still happen, and they reappear with the state that they have then.

import type { SandboxContext } from '../context.ts';
import { type Call, idOf } from '../provider/operation.ts';
import { refuse } from '../provider/refusal.ts';
import { HANDLE, RESOURCES } from '../store/rows.ts';
import { isoTimeOrNull } from '../time.ts';
import { parameter, recordInjected, shouldInject } from './occurrence.ts';

interface Absence {
  /** Whether GET by uuid answers 404. */
  by_uuid: boolean;
  /** Whether look-ups and lists omit the resource, and a creation does not find it. */
  by_handle: boolean;
}

/** Makes the call's resource vanish, if the fault is injected. Call it outside the call's transaction, which a 404 rolls back. */
export function maybeVanish(context: SandboxContext, call: Call): void {
  const uuid = idOf(call);
  if (absenceOf(context, uuid) || handleIn(context, uuid) === undefined) return;
  const occurrence = shouldInject(context, 'vanished', call);
  if (!occurrence) return;
  const by_handle = shouldInject(context, 'vanishedHandle', call) !== null;
  vanish(context, uuid, { by_uuid: true, by_handle }, parameter(context, occurrence, 'vanishedForMs'));
}

/**
 * Makes a resource vanish.
 * @param forMs null lasts until it is ended.
 * @throws 404 if there is no such resource.
 */
export function vanish(
  context: SandboxContext,
  uuid: string,
  absence: Absence,
  forMs: number | null,
): object {
  const originId = handleIn(context, uuid);
  if (originId === undefined) throw refuse('not_found', 'no such owner, account, transfer or payout');
  const until = forMs === null ? null : context.now() + forMs;
  context.faultInjection.lasting.begin('vanished', uuid, until, { ...absence });
  const details = { ...absence, until: isoTimeOrNull(until) };
  recordInjected(context, 'vanished', { uuid, originId }, details);
  if (absence.by_handle) recordInjected(context, 'vanishedHandle', { uuid, originId }, details);
  return { uuid, ...details };
}

export const absenceOf = (context: SandboxContext, uuid: string) =>
  context.faultInjection.lasting.find('vanished', uuid, context.now()) as Absence | undefined;

/** The handle of the owner, account, transfer or payout with this uuid. */
function handleIn({ store }: SandboxContext, uuid: string): string | undefined {
  for (const table of RESOURCES) {
    const sql = `select ${HANDLE[table]} as handle from ${table} where uuid = ?`;
    const row = store.get<{ handle: string }>(sql, uuid);
    if (row) return row.handle;
  }
  return undefined;
}

// Objects that the provider has named to us and does not know any more. They are shown, polled on, and never made a second
// time: what answers nothing today may be there tomorrow, and then there would be two.
import type { App } from '../app.ts';
import type { Db } from '../database/orm.ts';
import type { ProviderResourceRow } from '../entities/rows.ts';
import { type NewDiscrepancy, recordDiscrepancy } from './discrepancies.ts';
import type { Cause } from './lifecycle.ts';
import { stateOf } from './lock-subject.ts';
import { isFinal, pollVanished, stopPolling } from './polling.ts';
import { lockResource } from './resource.ts';
import { isResolved } from './snapshot-discrepancies.ts';

export const CAME_BACK = 'The provider knows it again.';

/** Whether the provider has ever named it: then it is never created again automatically. */
export const hasEverExisted = ({ provider_ref: ref }: Pick<ProviderResourceRow, 'provider_ref'>): boolean =>
  ref !== null;

/** Records that nothing is found any more, by its uuid or by its handle, of what has existed. */
export function recordVanished(
  { db, clock }: Pick<App, 'db' | 'clock'>,
  handle: string,
  cause: Cause,
): Promise<void> {
  return db.transaction().execute(async (tx) => {
    const now = clock.now();
    const resource = await lockResource(tx, handle);
    const discrepancy = await vanishedFrom(tx, resource, now);
    await recordDiscrepancy(tx, resource, discrepancy, cause, now);
    const { kind, snapshot_status: status } = resource;
    const isOver = status !== null && isFinal(kind, status) && (await isResolved(tx, resource, discrepancy));
    if (isOver) await stopPolling(tx, resource);
    else await pollVanished(tx, resource, now);
  });
}

/** It is the same discrepancy until the object has come back. */
async function vanishedFrom(tx: Db, resource: ProviderResourceRow, now: Date): Promise<NewDiscrepancy> {
  const {
    handle,
    provider_ref: providerRef,
    snapshot_updated_at: snapshotAt,
    snapshot_status: status,
  } = resource;
  const returns = await tx
    .selectFrom('discrepancies')
    .select('id')
    .where('handle', '=', handle)
    .where('kind', '=', 'vanished')
    .where('resolution', '=', CAME_BACK)
    .execute();
  return {
    kind: 'vanished',
    event: { type: 'vanished', ...(status && { status }) },
    state: await stateOf(tx, resource),
    providerRef,
    fingerprint: `${providerRef} ${returns.length}`,
    snapshotAt: snapshotAt ?? now,
  };
}

/** What is seen again is resolved. What vanished was polled (`pollVanished`), so nothing is asked of what never was. */
export async function resolveVanished(
  tx: Db,
  { handle, poll_count, next_poll_at }: ProviderResourceRow,
  now: Date,
): Promise<void> {
  if (poll_count === 0 || next_poll_at === null) return;
  await tx
    .updateTable('discrepancies')
    .set({ resolved_at: now, resolution: CAME_BACK })
    .where('handle', '=', handle)
    .where('kind', '=', 'vanished')
    .where('resolved_at', 'is', null)
    .execute();
}

// An operator chooses which object of the provider's stands behind a payment, withdrawal or account: it is followed from now
// on, its present state is applied, and the discrepancies that asked for the choice are resolved, in one commit.
import type { App } from '../../app.ts';
import { auditOperator, type By } from '../../audit/operator.ts';
import { invalidateBalance } from '../../balance/invalidate.ts';
import { byEntity } from '../../database/by-entity.ts';
import type { Db } from '../../database/orm.ts';
import type { Entity } from '../../entities/rows.ts';
import type { Cause } from '../../lifecycle/lifecycle.ts';
import { transaction } from '../../outbox/transaction.ts';
import { fetchByRef } from '../../provider/fetch.ts';
import type { Snapshot } from '../../provider/port.ts';
import { unlessErased } from '../../sealing/data-keys.ts';
import { type ApplyResult, applySnapshot } from '../../snapshots/apply-snapshot.ts';
import { differencesFromOrder } from '../../snapshots/as-ordered.ts';
import { lockSubject } from '../../snapshots/lock-subject.ts';
import { assertOwnObject } from '../../snapshots/object-users.ts';
import { lockResource } from '../../snapshots/resource.ts';
import { snapshotColumnsOf } from '../../snapshots/snapshot-columns.ts';
import { recordFormer } from '../../snapshots/twins.ts';

/** The kinds of discrepancy that ask which object, or which of its snapshots, is to be followed. */
const askingKinds = ['twin', 'vanished', 'clock_stepped_back'] as const;

/**
 * `not_ours`: no row here knows the uuid, or the object has another handle. `moved`: another operator has chosen meanwhile.
 * `nothing_open`: the object is followed already, and no discrepancy asks for a choice.
 */
export type Followed =
  | { chosen: 'changed' | 'kept'; applied: ApplyResult }
  | 'not_ours'
  | 'moved'
  | 'nothing_open';

/** @throws OutcomeUnknown when the object cannot be fetched; nothing is changed then. */
export async function followObject(app: App, uuid: string, by: By): Promise<Followed> {
  const resource = await resourceOf(app.db, uuid);
  if (!resource) return 'not_ours';
  const snapshot = await fetchByRef(app.provider, resource.kind, uuid);
  if (snapshot.handle.toLowerCase() !== resource.handle) return 'not_ours';
  const now = app.clock.now();
  const columns = await unlessErased(snapshotColumnsOf(app.sealer, resource, snapshot, now));
  if (columns === null) return 'not_ours';
  const differs = await differencesFromOrder(app, resource, snapshot);
  const cause: Cause = { kind: 'operator', id: by.operator };
  return transaction(app, async (tx) => {
    const subject = await lockSubject(tx, resource, snapshot, differs);
    if (!subject) return 'not_ours';
    const locked = await lockResource(tx, resource);
    if (locked.providerRef !== resource.providerRef) return 'moved';
    const isChange = locked.providerRef !== snapshot.providerRef;
    if (isChange) {
      await assertOwnObject(tx, locked, snapshot.providerRef);
      await recordFormer(tx, locked, subject.state, cause, now);
    }
    const resolved = await resolveAll(tx, locked, by, now);
    if (!isChange && resolved.length === 0) return 'nothing_open';
    if (isChange || resolved.includes('clock_stepped_back')) await resetSnapshot(tx, locked, snapshot);
    const seen = { known: locked, snapshot, others: [], columns, differs, cause, now };
    const { result: applied, written } = await applySnapshot(tx, seen);
    await written;
    await invalidateBalance(tx, locked.userId);
    await auditOperator(tx, {
      ...by,
      action: 'discrepancies follow',
      target: uuid,
      userId: locked.userId,
      now,
    });
    return { chosen: isChange ? 'changed' : 'kept', applied };
  });
}

/** The resource that follows the uuid, or that has it as a twin. */
const resourceOf = (db: Db, uuid: string): Promise<Entity<'ProviderResource'> | undefined> =>
  byEntity(db)
    .selectFrom('ProviderResource')
    .selectAll()
    .where((is) =>
      is.or([
        is('providerRef', '=', uuid),
        is('handle', 'in', (twins) =>
          twins
            .selectFrom('Discrepancy')
            .select('handle')
            .where('kind', '=', 'twin')
            .where('providerRef', '=', uuid),
        ),
      ]),
    )
    .executeTakeFirst();

/** @returns the kinds of the discrepancies that were open. */
async function resolveAll(
  tx: Db,
  { handle, userId }: Entity<'ProviderResource'>,
  { reason }: By,
  now: Date,
): Promise<string[]> {
  const resolved = await tx
    .updateTable('discrepancies')
    .set({ resolved_at: now, resolution: reason })
    .where('handle', '=', handle)
    .where('user_id', '=', userId)
    .where('kind', 'in', askingKinds)
    .where('resolved_at', 'is', null)
    .returning('kind')
    .execute();
  return resolved.map(({ kind }) => kind);
}

/** As if no snapshot had been applied: an operator decides what the times of the snapshots do not. */
async function resetSnapshot(
  tx: Db,
  { handle, userId }: Entity<'ProviderResource'>,
  { providerRef }: Snapshot,
): Promise<void> {
  await tx
    .updateTable('provider_resources')
    .set({
      provider_ref: providerRef,
      snapshot_updated_at: null,
      snapshot_status: null,
      snapshot_attempt: null,
      snapshot_content: null,
      announced_at: null,
      poll_count: 0,
    })
    .where('handle', '=', handle)
    .where('user_id', '=', userId)
    .execute();
}

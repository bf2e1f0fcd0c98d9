// A person chooses which object of the provider's is the one behind a payment, withdrawal or account: it is followed from
// now on, what it says now is applied, and every question about the choice is resolved, in one commit.
import type { App } from '../../app.ts';
import { auditOperator, type By } from '../../audit/operator.ts';
import { invalidateBalance } from '../../balance/invalidate.ts';
import { byEntity } from '../../database/by-entity.ts';
import type { Db } from '../../database/orm.ts';
import type { Entity } from '../../entities/rows.ts';
import { type ApplyResult, applySnapshot } from '../../lifecycle/apply-snapshot.ts';
import { differencesFromOrder } from '../../lifecycle/as-ordered.ts';
import type { Cause } from '../../lifecycle/lifecycle.ts';
import { lockSubject } from '../../lifecycle/lock-subject.ts';
import { lockResource } from '../../lifecycle/resource.ts';
import { snapshotColumnsOf } from '../../lifecycle/snapshot-columns.ts';
import { recordFormer } from '../../lifecycle/twins.ts';
import { fetchByRef } from '../../provider/fetch.ts';
import type { Snapshot } from '../../provider/port.ts';

/** The discrepancies that ask which object, or which of its snapshots, is to be followed. */
const questions = ['twin', 'vanished', 'clock_stepped_back'] as const;

/**
 * `not_ours`: nothing here has to do with the uuid, or the object has another handle. `moved`: somebody else has chosen
 * meanwhile. `nothing_open`: it is followed, and nothing asks for a choice.
 */
export type Followed =
  | { chosen: 'changed' | 'kept'; applied: ApplyResult }
  | 'not_ours'
  | 'moved'
  | 'nothing_open';

/** @throws OutcomeUnknown when the provider does not say what the object is now; nothing is changed then. */
export async function followObject(app: App, uuid: string, by: By): Promise<Followed> {
  const resource = await resourceOf(app.db, uuid);
  if (!resource) return 'not_ours';
  const snapshot = await fetchByRef(app.provider, resource.kind, uuid);
  if (snapshot.handle.toLowerCase() !== resource.handle) return 'not_ours';
  const columns = await snapshotColumnsOf(app.sealer, resource, snapshot);
  const differs = await differencesFromOrder(app, resource, snapshot);
  const now = app.clock.now();
  const cause: Cause = { kind: 'operator', id: by.operator };
  return app.db.transaction().execute(async (tx) => {
    const subject = await lockSubject(tx, resource, snapshot, differs);
    if (!subject) return 'not_ours';
    const locked = await lockResource(tx, resource.handle);
    if (locked.providerRef !== resource.providerRef) return 'moved';
    const isChange = locked.providerRef !== snapshot.providerRef;
    if (isChange) await recordFormer(tx, locked, subject.state, cause, now);
    const resolved = await resolveAll(tx, locked, by, now);
    if (!isChange && resolved.length === 0) return 'nothing_open';
    if (isChange || resolved.includes('clock_stepped_back')) await beginAnew(tx, locked, snapshot);
    const seen = { known: locked, snapshot, others: [], columns, differs, cause, now };
    const applied = await applySnapshot(tx, seen);
    await invalidateBalance(tx, locked.userId);
    await auditOperator(tx, { ...by, action: 'follow', target: uuid, userId: locked.userId, now });
    return { chosen: isChange ? 'changed' : 'kept', applied };
  });
}

/** The one that follows the uuid, or that has seen it as a twin. */
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

/** @returns the kinds of what was open. */
async function resolveAll(
  tx: Db,
  { handle }: Entity<'ProviderResource'>,
  { reason }: By,
  now: Date,
): Promise<string[]> {
  const resolved = await tx
    .updateTable('discrepancies')
    .set({ resolved_at: now, resolution: reason })
    .where('handle', '=', handle)
    .where('kind', 'in', questions)
    .where('resolved_at', 'is', null)
    .returning('kind')
    .execute();
  return resolved.map(({ kind }) => kind);
}

/** As if nothing had been applied: a person has seen what the machine would not decide by the time. */
async function beginAnew(
  tx: Db,
  { handle }: Entity<'ProviderResource'>,
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
    .execute();
}

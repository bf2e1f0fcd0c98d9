// An operator chooses which object of the provider's stands behind a payment, withdrawal or account: it is followed from now
// on, its present state is applied, and the discrepancies that asked for the choice are resolved, in one commit.
import type { App } from '../../app.ts';
import { auditOperator, type By } from '../../audit/operator.ts';
import { invalidateBalance } from '../../balance/invalidate.ts';
import type { Cause } from '../../lifecycle/lifecycle.ts';
import { transaction } from '../../outbox/hand-off.ts';
import { fetchByRef } from '../../provider/fetch.ts';
import { unlessErased } from '../../sealing/data-keys.ts';
import { type ApplyResult, applySnapshot } from '../../snapshots/apply-snapshot.ts';
import { differencesFromOrder } from '../../snapshots/as-ordered.ts';
import { lockSubject } from '../../snapshots/lock-subject.ts';
import { assertOwnObject } from '../../snapshots/object-users.ts';
import { lockResource } from '../../snapshots/resource.ts';
import { snapshotColumnsOf } from '../../snapshots/snapshot-columns.ts';
import { recordFormer } from '../../snapshots/twins.ts';
import { resolveOpenChoices } from '../../sql/discrepancies.ts';
import { findResourceOfObject, resetSnapshot } from '../../sql/provider-resources.ts';

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
  const resource = await findResourceOfObject(app.db, { providerRef: uuid });
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
    const { handle, userId } = locked;
    const resolved = await resolveOpenChoices(tx, { handle, userId, resolvedAt: now, resolution: by.reason });
    if (!isChange && resolved.length === 0) return 'nothing_open';
    // An operator decides what the times of the snapshots do not.
    if (isChange || resolved.some(({ kind }) => kind === 'clock_stepped_back'))
      await resetSnapshot(tx, { handle, userId, providerRef: snapshot.providerRef });
    const seen = { known: locked, snapshot, others: [], columns, differs, cause, now };
    const { result: applied, written } = await applySnapshot(tx, seen);
    await written;
    await invalidateBalance(tx, userId);
    await auditOperator(tx, { ...by, action: 'discrepancies follow', target: uuid, userId, now });
    return { chosen: isChange ? 'changed' : 'kept', applied };
  });
}

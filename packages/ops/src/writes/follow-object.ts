// Follows the provider's object that an operator has chosen for a payment, withdrawal or account. In one commit, it stores the choice,
// applies the object's current state, and resolves the discrepancies that required the choice.

import type { Clock } from '../../../../src/domain/clock.ts';
import { invalidateBalance } from '../../../../src/ledger/invalidate.ts';
import type { Cause } from '../../../../src/lifecycle/lifecycle.ts';
import { type Committing, transaction } from '../../../../src/outbox/hand-off.ts';
import { auditOperator, type By } from '../../../../src/platform/audit/operator.ts';
import { unlessErased } from '../../../../src/platform/sealing/data-keys.ts';
import type { Sealer } from '../../../../src/platform/sealing/sealer.ts';
import { resolveOpenChoices } from '../../../../src/platform/sql/discrepancies.ts';
import { findResourceOfObject, resetSnapshot } from '../../../../src/platform/sql/provider-resources.ts';
import { fetchByRef } from '../../../../src/provider/fetch.ts';
import type { Provider } from '../../../../src/provider/port.ts';
import { type ApplyResult, applySnapshot } from '../../../../src/reports/apply-snapshot.ts';
import { differencesFromOrder } from '../../../../src/reports/as-expected.ts';
import { lockSubject } from '../../../../src/reports/lock-subject.ts';
import { assertOwnObject } from '../../../../src/reports/object-users.ts';
import { lockResource } from '../../../../src/reports/resource.ts';
import { snapshotColumnsOf } from '../../../../src/reports/snapshot-columns.ts';
import { recordFormer } from '../../../../src/reports/twins.ts';

/**
 * The result of a choice. `not_ours`: no row here has the uuid, the object has another handle, or the user was erased. `moved`:
 * another operator made a choice in the meantime. `nothing_open`: the object is already followed, and no discrepancy requires a choice.
 */
export type Followed =
  | { chosen: 'changed' | 'kept'; applied: ApplyResult }
  | 'not_ours'
  | 'moved'
  | 'nothing_open';

/**
 * Follows an object.
 * @throws OutcomeUnknown if the object cannot be fetched, or belongs to another user: nothing is changed then.
 */
export async function followObject(
  { db, outbox, provider, sealer, clock }: Committing & { provider: Provider; sealer: Sealer; clock: Clock },
  uuid: string,
  by: By,
): Promise<Followed> {
  const resource = await findResourceOfObject(db, { providerRef: uuid });
  if (!resource) return 'not_ours';
  const snapshot = await fetchByRef(provider, resource.kind, uuid);
  if (snapshot.handle.toLowerCase() !== resource.handle) return 'not_ours';
  const now = clock.now();
  const columns = await unlessErased(snapshotColumnsOf(sealer, resource, snapshot, now));
  if (columns === null) return 'not_ours';
  const differs = await differencesFromOrder({ db, sealer }, resource, snapshot);
  const cause: Cause = { kind: 'operator', id: by.operator };
  return transaction({ db, outbox }, async (tx) => {
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
    // The operator's choice overrides the order of the snapshots' times, so the last applied snapshot is forgotten.
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

// Follows the provider's object that an operator has chosen between twins of a payment, withdrawal or account. In one commit, it stores
// the choice, applies the object's current state, and resolves the discrepancies that required the choice.

import { invalidateBalance } from '../../src/ledger/invalidate.ts';
import { transaction } from '../../src/outbox/hand-off.ts';
import { waitingOperator } from '../../src/provider/caller.ts';
import { OutcomeUnknown } from '../../src/provider/errors.ts';
import { fetchByRef } from '../../src/provider/fetch.ts';
import { applySnapshot } from '../../src/reports/apply-reported.ts';
import { assertOwnObject, differencesFromOrder } from '../../src/reports/as-expected.ts';
import { snapshotColumnsOf } from '../../src/reports/snapshot-columns.ts';
import { lockResource, lockSubject } from '../../src/reports/subject.ts';
import { recordFormer } from '../../src/reports/twins.ts';
import { unlessErased } from '../../src/security/data-keys.ts';
import { servicesFor } from '../../src/start/app.ts';
import { resolveOpenChoices } from '../../src/tables/discrepancies/statements.ts';
import { findResourceOfObject, resetSnapshot } from '../../src/tables/provider-resources/statements.ts';
import { lockUserRow } from '../../src/tables/users/statements.ts';
import { audit, changed, unchanged } from '../action.ts';
import { type ActionResult, type CommandCall, type CommandSpec, OpsFailure } from '../command.ts';

export const discrepanciesFollowCommand: CommandSpec = {
  name: 'discrepancies follow',
  summary: "choose between twins, by the provider's uuid, and apply the chosen one's state",
  argument: { name: 'uuid', form: 'uuid' },
  run: (call) => follow(call).catch(asFailure),
};

function asFailure(error: unknown): never {
  if (!(error instanceof OutcomeUnknown)) throw error;
  throw new OpsFailure(
    `The provider could not be asked for its present state, so nothing is changed: ${error.message}`,
  );
}

/**
 * Follows an object.
 * @throws OutcomeUnknown if the object cannot be fetched, or belongs to another user: nothing is changed then.
 */
async function follow(call: CommandCall): Promise<ActionResult> {
  const { app, argument: uuid, operator, reason } = call;
  const { db, sealer } = app;
  const { provider } = servicesFor(app, waitingOperator);
  const notOurs = new OpsFailure(`No row here follows ${uuid} or has it as a twin.`);
  const resource = await findResourceOfObject(db, { providerRef: uuid });
  if (!resource || resource.kind === 'contestation') throw notOurs;
  const snapshot = await fetchByRef(provider, resource.kind, uuid);
  if (snapshot.handle.toLowerCase() !== resource.handle) throw notOurs;
  const now = app.clock.now();
  const columns = await unlessErased(snapshotColumnsOf(sealer, resource, snapshot, now));
  if (columns === null) throw notOurs;
  const differs = await differencesFromOrder({ db, sealer }, resource, snapshot);
  const cause = { kind: 'operator', id: operator } as const;
  return transaction(app, async (tx) => {
    await lockUserRow(tx, { userId: resource.userId });
    const subject = await lockSubject(tx, resource, snapshot, differs);
    if (!subject) throw notOurs;
    const locked = await lockResource(tx, resource);
    if (locked.providerRef !== resource.providerRef)
      throw new OpsFailure('Another operator has chosen meanwhile. See: npm run ops -- discrepancies --all');
    const isChange = locked.providerRef !== snapshot.providerRef;
    if (isChange) {
      await assertOwnObject(tx, locked, snapshot.providerRef);
      await recordFormer(tx, locked, subject.state, cause, now);
    }
    const { handle, userId } = locked;
    const resolved = await resolveOpenChoices(tx, { handle, userId, resolvedAt: now, resolution: reason });
    if (!isChange && resolved.length === 0)
      return unchanged('This object is followed already, and no discrepancy is open.');
    // The operator's choice overrides the order of the snapshots' times, so the last applied snapshot is forgotten.
    if (isChange || resolved.some(({ kind }) => kind === 'clock_stepped_back'))
      await resetSnapshot(tx, { handle, userId, providerRef: snapshot.providerRef });
    const report = { identity: locked, snapshot, others: [], columns, differs, cause, now };
    const { result, written } = await applySnapshot(tx, report);
    await written;
    await invalidateBalance(tx, userId);
    await audit(tx, call, { target: uuid, userId });
    const choice = isChange
      ? 'The object is followed from now on.'
      : 'The object is followed as before; the others are set aside.';
    return changed(
      result === 'refused'
        ? `${choice} Our state does not allow its state, which is a discrepancy. See: npm run ops -- discrepancies`
        : `${choice} Its present state is applied.`,
    );
  });
}

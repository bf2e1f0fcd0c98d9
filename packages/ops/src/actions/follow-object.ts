// Follows the provider's object that an operator has chosen between twins of a payment, withdrawal or account. In one commit, it stores
// the choice, applies the object's current state, and resolves the discrepancies that required the choice.

import type { Clock } from '../../../../src/domain/clock.ts';
import { invalidateBalance } from '../../../../src/ledger/invalidate.ts';
import { type Committing, transaction } from '../../../../src/outbox/hand-off.ts';
import type { Cause } from '../../../../src/platform/database/entities/transition.ts';
import { auditOperator, type By } from '../../../../src/platform/security/audit-operator.ts';
import { unlessErased } from '../../../../src/platform/security/data-keys.ts';
import type { Sealer } from '../../../../src/platform/security/sealer.ts';
import { resolveOpenChoices } from '../../../../src/platform/sql/discrepancies.ts';
import { findResourceOfObject, resetSnapshot } from '../../../../src/platform/sql/provider-resources.ts';
import { OutcomeUnknown } from '../../../../src/provider/errors.ts';
import { fetchByRef } from '../../../../src/provider/fetch.ts';
import type { Provider } from '../../../../src/provider/port.ts';
import { type ApplyResult, applySnapshot } from '../../../../src/reports/apply-reported.ts';
import { assertOwnObject, differencesFromOrder } from '../../../../src/reports/as-expected.ts';
import { snapshotColumnsOf } from '../../../../src/reports/snapshot-columns.ts';
import { lockResource, lockSubject } from '../../../../src/reports/subject.ts';
import { recordFormer } from '../../../../src/reports/twins.ts';
import { type CommandCall, type CommandSpec, OpsFailure } from '../command.ts';
import { printResult } from '../output.ts';

export const discrepanciesFollowCommand: CommandSpec = {
  name: 'discrepancies follow',
  summary: "choose between twins, by the provider's uuid, and apply the chosen one's state",
  argument: { name: 'uuid', form: 'uuid' },
  run,
};

async function run({ app, out, argument, operator, reason }: CommandCall): Promise<void> {
  const uuid = argument.toLowerCase();
  const followed = await followObject(app, uuid, { operator, reason }).catch(asFailure);
  if (followed === 'not_ours') throw new OpsFailure(`No row here follows ${uuid} or has it as a twin.`);
  if (followed === 'moved')
    throw new OpsFailure('Another operator has chosen meanwhile. See: npm run ops -- discrepancies --all');
  printResult(out, {
    changed: followed !== 'nothing_open',
    sentence:
      followed === 'nothing_open'
        ? 'This object is followed already, and no discrepancy is open.'
        : sentenceOf(followed),
  });
}

const sentenceOf = ({ chosen, applied }: Exclude<Followed, string>): string => {
  const choice =
    chosen === 'changed'
      ? 'The object is followed from now on.'
      : 'The object is followed as before; the others are set aside.';
  return applied === 'refused'
    ? `${choice} Our state does not allow its state, which is a discrepancy. See: npm run ops -- discrepancies`
    : `${choice} Its present state is applied.`;
};

function asFailure(error: unknown): never {
  if (!(error instanceof OutcomeUnknown)) throw error;
  throw new OpsFailure(
    `The provider could not be asked for its present state, so nothing is changed: ${error.message}`,
  );
}

/**
 * The result of a choice. `not_ours`: no row here has the uuid, the object has another handle, or the user was erased. `moved`:
 * another operator made a choice in the meantime. `nothing_open`: the object is already followed, and no discrepancy requires a choice.
 */
type Followed = { chosen: 'changed' | 'kept'; applied: ApplyResult } | 'not_ours' | 'moved' | 'nothing_open';

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

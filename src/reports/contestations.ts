// Fetches a contestation. The provider knows it only together with its payout, and has no look-up by the handle: one whose request was
// not answered is requested again under its handle.
import { handleFor } from '../domain/handles.ts';
import { advance, lockRow } from '../lifecycle/advance.ts';
import { contestation } from '../lifecycle/contestation.ts';
import { transaction } from '../outbox/hand-off.ts';
import { contestPayout } from '../provider/contest-payout.ts';
import { unlessUnknown } from '../provider/fetch.ts';
import type { ContestationSnapshot, Provider } from '../provider/port.ts';
import { encryptionContexts } from '../security/encryption-contexts.ts';
import {
  findContestationToSend,
  lockContestedPayment,
  pollContestationNow,
} from '../tables/contestations/statements.ts';
import type { Db } from '../tables/orm.ts';
import {
  findResource,
  findResourceByHandle,
  insertResource,
  pollResourcesOfSubject,
  setNextPoll,
  updateReportedResource,
} from '../tables/provider-resources/statements.ts';
import type { Entity } from '../tables/rows.ts';
import type { Cause } from '../tables/transitions/entity.ts';
import type { ApplyServices } from './apply-reported.ts';
import { isFinal, pollDelayMs, stopPolling } from './polling.ts';
import { appliedColumns } from './recency.ts';

type Services = ApplyServices & { provider: Provider };

/**
 * Fetches a contestation, or requests it again.
 * @returns null if the provider does not know it.
 * @throws OutcomeUnknown if there is no usable answer.
 */
export async function fetchContestation(
  services: Services,
  resource: Entity<'ProviderResource'>,
  cause: Cause,
): Promise<ContestationSnapshot | null> {
  const { db, provider, sealer } = services;
  const { subjectId: id, userId, handle, providerRef } = resource;
  const row = await findContestationToSend(db, { id, userId });
  const payout = row && (await findResource(db, { handle: handleFor(row.paymentId, 'payout'), userId }));
  const payoutRef = payout?.providerRef ?? null;
  if (row === undefined || payoutRef === null) return null;
  if (providerRef !== null) return unlessUnknown(() => provider.getContestation({ payoutRef, providerRef }));
  if (row.state !== 'requested') return null;
  const description = await sealer.open(
    encryptionContexts.contestationDescription(userId, id),
    row.descriptionSealed,
  );
  const answer = await contestPayout(provider, { payoutRef, handle, reason: row.reason, description });
  if (answer.outcome === 'contested') return answer.contestation;
  if (answer.outcome === 'unanswered') throw answer.cause;
  await transaction(services, async (tx) => {
    await lockContestedPayment(tx, { id, userId });
    const locked = await lockRow(tx, contestation, { id, userId });
    if (locked)
      await advance(tx, contestation, locked, { type: 'contestation.refused' }, cause, services.clock.now());
    await stopPolling(tx, resource);
  });
  return null;
}

/** Follows a new contestation with polls, until it is decided. @param answer null if the provider gave no answer. */
export async function followContestation(
  tx: Db,
  { id, userId, paymentId }: Entity<'Contestation'>,
  answer: ContestationSnapshot | null,
  now: Date,
): Promise<void> {
  const handle = handleFor(paymentId, 'contestation');
  const pollInMs = answer !== null && isFinal(answer.kind, answer.status) ? null : pollDelayMs(0);
  await insertResource(tx, {
    handle,
    userId,
    kind: 'contestation',
    leg: null,
    subjectKind: 'contestation',
    subjectId: id,
    traceparent: null,
    createdAt: now,
  });
  if (answer === null) await setNextPoll(tx, { handle, userId, pollInMs });
  else
    await updateReportedResource(tx, {
      handle,
      userId,
      providerRef: answer.providerRef,
      pollInMs,
      ...appliedColumns(answer),
      reasonSealed: null,
      reasonSealedAt: null,
      isFirstDebit: false,
    });
}

/** Polls the payout of a contestation that was accepted: its money may be back, and the callback about it lost. */
export async function pollPayoutOf(
  { db }: Pick<Services, 'db'>,
  { subjectId: id, userId }: Pick<Entity<'ProviderResource'>, 'subjectId' | 'userId'>,
): Promise<void> {
  const row = await findContestationToSend(db, { id, userId });
  if (row?.state === 'accepted') await pollResourcesOfSubject(db, { subjectId: row.paymentId, userId });
}

/** Polls the contestation of a payout now, if it has an undecided one. */
export async function pollContestationOf(db: Db, payoutHandle: string): Promise<void> {
  const payout = await findResourceByHandle(db, { handle: payoutHandle.toLowerCase() });
  if (payout?.subjectKind !== 'pix_payment') return;
  await pollContestationNow(db, { paymentId: payout.subjectId, userId: payout.userId });
}

// POST /pix/payments/{id}/contestation: asks the recipient's bank to return a completed payment for fraud. The provider is asked first, so
// that nothing is stored if it has no contestations. If it does not answer, the contestation is stored, and a poll asks again under the
// same handle.
import { created, type Handler, ok, type Reply } from '../api/operation.ts';
import type { Clock } from '../domain/clock.ts';
import {
  CONTESTABLE_FOR_MS,
  type ContestationReason,
  canonicalDescription,
} from '../domain/contestations.ts';
import { handleFor } from '../domain/handles.ts';
import { newId } from '../domain/ids.ts';
import type { Log } from '../domain/log.ts';
import { invalid, Refusal } from '../domain/refusals.ts';
import { begin, lockRow } from '../lifecycle/advance.ts';
import { contestation, contestationStatusOf } from '../lifecycle/contestation.ts';
import { pixPayment } from '../lifecycle/pix-payment.ts';
import { type Committing, type EnqueuingTx, transaction } from '../outbox/hand-off.ts';
import type { DatabaseClock } from '../platform/database/database-time.ts';
import { contestPayout } from '../provider/contest-payout.ts';
import type { ContestationSnapshot, Provider } from '../provider/port.ts';
import { followContestation } from '../reports/contestations.ts';
import { encryptionContexts } from '../security/encryption-contexts.ts';
import type { Sealer } from '../security/sealer.ts';
import { findContestation } from '../tables/contestations/statements.ts';
import { findPixPayment, setContestationStatus } from '../tables/pix-payments/statements.ts';
import { findResource } from '../tables/provider-resources/statements.ts';
import type { Entity } from '../tables/rows.ts';
import type { Cause } from '../tables/transitions/entity.ts';
import { contestationFrom } from './get-contestation.ts';

type Services = Committing & {
  clock: Clock;
  databaseClock: DatabaseClock;
  log: Log;
  provider: Provider<'interactive'>;
  sealer: Sealer;
};
type Wanted = { paymentId: string; userId: string; reason: ContestationReason; description: string };

export const contestPixPayment: Handler<'contestPixPayment', Services> = async (request, services) => {
  const { user, params, body, requestId } = request;
  const description = canonicalDescription(body.description);
  if (description === null) throw invalid('/body/description', 'must have 1 to 1,000 visible characters');
  const wanted = { paymentId: params.id, userId: user.id, reason: body.reason, description };
  const payment = await findPixPayment(services.db, { id: params.id, userId: user.id });
  if (!payment) throw new Refusal('not_found');
  const earlier = await findContestation(services.db, wanted);
  if (earlier) return repeated(services, earlier, wanted);
  await assertContestable(services, payment);
  const answer = await ask(services.provider, wanted, await payoutRefOf(services, payment));
  const { row, isNew } = await record(services, wanted, answer, { kind: 'request', id: requestId });
  if (!isNew) return repeated(services, row, wanted);
  services.log.info(
    { code: 'payment.contested', requestId, subjectId: row.paymentId },
    'the user contested the payment',
  );
  return created(contestationFrom(await services.sealer.openerOf(user.id), row));
};

/** @throws Refusal `already_contested` if the reason or the description differs. */
async function repeated(
  { sealer }: Services,
  row: Entity<'Contestation'>,
  { userId, reason, description }: Wanted,
): Promise<Reply<'contestPixPayment'>> {
  const former = contestationFrom(await sealer.openerOf(userId), row);
  if (former.reason !== reason || former.description !== description) throw new Refusal('already_contested');
  return ok(former);
}

/** @throws Refusal `not_contestable` unless the payment was completed less than 80 days ago, by the database's clock. */
async function assertContestable(
  { db, databaseClock }: Services,
  { state, stateEnteredAt }: Entity<'PixPayment'>,
): Promise<void> {
  const end = new Date(stateEnteredAt.getTime() + CONTESTABLE_FOR_MS);
  if (state !== 'completed' || !(await databaseClock.now(db)).isBefore(end))
    throw new Refusal('not_contestable');
}

/** A payment that operators completed by hand may have no payout that the provider knows. */
async function payoutRefOf({ db }: Services, { id, userId }: Entity<'PixPayment'>): Promise<string> {
  const payout = await findResource(db, { handle: handleFor(id, 'payout'), userId });
  if (!payout || payout.providerRef === null) throw new Refusal('not_contestable');
  return payout.providerRef;
}

/**
 * Asks the provider.
 * @returns the contestation, or null if the provider gave no answer.
 * @throws Refusal `not_offered`, `not_contestable` or `already_contested`: nothing was created.
 */
async function ask(
  provider: Provider,
  { paymentId, reason, description }: Wanted,
  payoutRef: string,
): Promise<ContestationSnapshot | null> {
  const handle = handleFor(paymentId, 'contestation');
  const answer = await contestPayout(provider, { payoutRef, handle, reason, description });
  switch (answer.outcome) {
    case 'contested':
      return answer.contestation;
    case 'unanswered':
      return null;
    case 'refused':
      throw new Refusal('not_contestable');
    case 'contested_otherwise':
      throw new Refusal('already_contested');
    case 'unsupported':
      throw new Refusal('not_offered');
  }
}

/** Stores the contestation. A concurrent request may have stored it. */
async function record(
  services: Services,
  { paymentId, userId, reason, description }: Wanted,
  answer: ContestationSnapshot | null,
  cause: Cause,
): Promise<{ row: Entity<'Contestation'>; isNew: boolean }> {
  const id = newId();
  const context = encryptionContexts.contestationDescription(userId, id);
  const descriptionSealed = await services.sealer.seal(context, description);
  return transaction(services, async (tx) => {
    await lockRow(tx, pixPayment, { id: paymentId, userId });
    const earlier = await findContestation(tx, { paymentId, userId });
    if (earlier) return { row: earlier, isNew: false };
    const now = services.clock.now();
    const contents = { id, userId, paymentId, reason, descriptionSealed, resolvedAt: null, createdAt: now };
    const row = await beginAs(tx, contents, answer, cause, now);
    await setContestationStatus(tx, {
      id: paymentId,
      userId,
      contestationStatus: contestationStatusOf[row.state],
    });
    await followContestation(tx, row, answer, now);
    return { row, isNew: true };
  });
}

function beginAs(
  tx: EnqueuingTx,
  contents: Parameters<typeof begin<typeof contestation.machine, Entity<'Contestation'>>>[2],
  answer: ContestationSnapshot | null,
  cause: Cause,
  now: Date,
): Promise<Entity<'Contestation'>> {
  if (answer === null) return begin(tx, contestation, contents, undefined, cause, now);
  const event =
    answer.status === 'open'
      ? ({ type: 'contestation.opened' } as const)
      : ({ type: `contestation.${answer.status}`, resolvedAt: answer.resolvedAt } as const);
  return begin(tx, contestation, contents, undefined, cause, now, event);
}

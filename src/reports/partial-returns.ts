// Records the parts of a completed payment that came back. The payout names each part with the movement that credited the user's BRL
// account. A part is recorded once, however often and in whatever order the payout is reported.
import { newId } from '../domain/ids.ts';
import { begin } from '../lifecycle/advance.ts';
import { payoutRefund } from '../lifecycle/payout-refund.ts';
import type { EnqueuingTx } from '../outbox/hand-off.ts';
import type { PayoutSnapshot } from '../provider/port.ts';
import { listRefundsOfPayment } from '../tables/payout-refunds/statements.ts';
import { findPixPayment, setReturnedAmount } from '../tables/pix-payments/statements.ts';
import type { Entity } from '../tables/rows.ts';
import type { Cause } from '../tables/transitions/entity.ts';
import { type Difference, isObjectOf } from './as-expected.ts';
import { notAsOrdered, recordDiscrepancy } from './discrepancies.ts';

type Resource = Pick<Entity<'ProviderResource'>, 'userId' | 'subjectKind' | 'subjectId' | 'handle'>;

/**
 * Records the parts that a payout names and that no row has. The caller has locked the payment, and applies a payout that is paid.
 * A payout that names more than it paid, another amount than before, or a movement of another user is recorded as a discrepancy.
 */
export async function recordRefunds(
  tx: EnqueuingTx,
  resource: Resource,
  snapshot: PayoutSnapshot,
  cause: Cause,
  now: Date,
): Promise<void> {
  const { refunds, status } = snapshot;
  // Once all has come back, the payout is refunded, and the payment is settled as a whole.
  if (refunds.length === 0 || status !== 'completed' || resource.subjectKind !== 'pix_payment') return;
  const { subjectId: paymentId, userId } = resource;
  const payment = await findPixPayment(tx, { id: paymentId, userId });
  if (payment?.state !== 'completed') return;
  const recorded = await listRefundsOfPayment(tx, { paymentId, userId });
  const refused = differencesIn(snapshot, recorded);
  const refuse = (differs: Difference[]) => {
    const amountMinor = sumOf(refunds.map((one) => one.amountMinor));
    const event = { type: 'off-ramp.returned', amountMinor, currency: snapshot.currency };
    return recordDiscrepancy(tx, resource, notAsOrdered(event, payment.state, differs, snapshot), cause, now);
  };
  if (refused.length > 0) return refuse(refused);
  const recordedRefs = new Set(recorded.map(({ movementRef }) => movementRef));
  for (const { movementRef, amountMinor, creditedAt } of refunds) {
    if (recordedRefs.has(movementRef)) continue;
    if (!(await isObjectOf(tx, { providerRef: movementRef, kind: 'movement', userId })))
      return refuse(['source account']);
    await begin(
      tx,
      payoutRefund,
      {
        id: newId(),
        userId,
        paymentId,
        movementRef,
        amountBrlMinor: amountMinor,
        homeCurrency: payment.sourceCurrency,
        attempt: 0,
        homeCreditMinor: null,
        providerQuoteId: null,
        quotedHomeMinor: null,
        quoteLifeMs: null,
        quotedAt: null,
        creditedAt: creditedAt < now ? creditedAt : now,
        createdAt: now,
      },
      { amountBrlMinor: amountMinor },
      cause,
      now,
    );
  }
  const returnedBrlMinor = sumOf(refunds.map((one) => one.amountMinor));
  await setReturnedAmount(tx, { id: paymentId, userId, returnedBrlMinor });
}

/** The parts together are less than the payout. Each is positive, named once, and never changes or disappears. */
function differencesIn(
  { refunds, amountMinor, currency }: PayoutSnapshot,
  recorded: Pick<Entity<'PayoutRefund'>, 'movementRef' | 'amountBrlMinor'>[],
): Difference[] {
  const parts = new Map(refunds.map((one) => [one.movementRef, one.amountMinor]));
  const isPossible =
    parts.size === refunds.length &&
    refunds.every((one) => one.amountMinor > 0) &&
    sumOf([...parts.values()]) < amountMinor &&
    recorded.every((one) => parts.get(one.movementRef) === one.amountBrlMinor);
  return [
    ...(isPossible ? [] : (['amount'] as const)),
    ...(currency === 'BRL' ? [] : (['currency'] as const)),
  ];
}

const sumOf = (amounts: number[]): number => amounts.reduce((sum, one) => sum + one, 0);

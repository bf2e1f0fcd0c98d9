// Claims the charge of a PIX code for one payment, over all users. A claim is a row that is never changed, and it is committed with its
// payment. Once that payment has failed or was returned, a further payment makes the next claim.
import { statusOf } from '../../machines/step.ts';
import { chargeClaimId } from '../domain/handles.ts';
import { Refusal } from '../domain/refusals.ts';
import type { Db } from '../tables/orm.ts';
import { findClaimant } from '../tables/pix-payments/statements.ts';
import { findObjectUser, insertObjectUser } from '../tables/provider-object-users/statements.ts';
import type { Entity } from '../tables/rows.ts';

/** How many payments of one charge may fail. */
const MAX_TURNS = 50;

/**
 * Claims a charge in the database transaction that begins the payment. Of two concurrent payments, one waits for the commit of the other.
 * @throws Refusal `code_already_used` while another payment of the charge is unfinished, or if it is completed.
 */
export async function claimCharge(
  tx: Db,
  { chargeRef, userId, paymentId }: { chargeRef: string; userId: string; paymentId: string },
): Promise<void> {
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const claim = { providerRef: chargeClaimId(chargeRef, turn), kind: 'charge', userId, paymentId } as const;
    let claimant = await findObjectUser(tx, claim);
    if (!claimant && (await insertObjectUser(tx, claim)) === 1) return;
    claimant ??= await findObjectUser(tx, claim);
    if (!claimant || !(await hasGivenUp(tx, claimant))) break;
  }
  throw new Refusal('code_already_used');
}

/**
 * Returns whether the payment of a claim can no longer pay the charge. A payment that is not found has not: another decision of this
 * database transaction writes it, or its user was erased.
 */
async function hasGivenUp(
  tx: Db,
  { userId, paymentId }: Pick<Entity<'ProviderObjectUser'>, 'userId' | 'paymentId'>,
): Promise<boolean> {
  const payment = paymentId === null ? undefined : await findClaimant(tx, { userId, id: paymentId });
  if (!payment) return false;
  const status = statusOf(payment.state);
  // Money that came back from the recipient's bank waits in `manual_review`, and is never paid again.
  return (
    status === 'failed' ||
    status === 'refunded' ||
    (status === 'manual_review' && payment.failure === 'payout_returned')
  );
}

// GET /pix/payments/{id}/receipt: returns what the payer may show to the recipient of a completed payment.

import { statusOf } from '../../machines/step.ts';
import type { PixReceipt } from '../../openapi/generated/openapi.ts';
import { ok, withUser, withUserRow } from '../api/operation.ts';
import { maskKeyOnReceipt } from '../domain/masking.ts';
import { formatDecimal } from '../domain/money.ts';
import { plainTextOf } from '../domain/plain-text.ts';
import { Refusal } from '../domain/refusals.ts';
import { saoPauloTime } from '../domain/sao-paulo-time.ts';
import { encryptionContexts } from '../security/encryption-contexts.ts';
import type { Open, Sealer } from '../security/sealer.ts';
import { findPaymentForReceipt, type PaymentForReceipt } from '../tables/pix-payments/statements.ts';

import { returnedAmount } from './present.ts';

type Services = { sealer: Sealer; config: { payerInstitution: string | null } };

export const getPixReceipt = withUser(
  'getPixReceipt',
  withUserRow((db, userId, { params: { id } }) => findPaymentForReceipt(db, { userId, id })),
  async ({ rows: row }, { sealer, config: { payerInstitution } }: Services) => {
    if (!row) throw new Refusal('not_found');
    assertCompleted(row);
    return ok({ ...receiptFrom(await sealer.openerOf(row.userId), row), payerInstitution });
  },
);

/** @throws Refusal `payment_returned`, or `payment_not_completed`. */
function assertCompleted({ state, failure }: PaymentForReceipt): void {
  if (statusOf(state) === 'completed') return;
  throw new Refusal(failure === 'payout_returned' ? 'payment_returned' : 'payment_not_completed');
}

/** The recipient sees the receipt, so it has nothing that the payment cost. */
function receiptFrom(open: Open, row: PaymentForReceipt): Omit<PixReceipt, 'payerInstitution'> {
  const { id, userId, pixKeyType, stateEnteredAt } = row;
  return {
    amountBrl: formatDecimal(row.amountBrlMinor, 'BRL'),
    returnedAmountBrl: returnedAmount(row),
    payerName: payerNameIn(open, row),
    recipientName: recipientNameIn(open, row),
    recipientInstitution: row.recipientInstitution,
    pixKeyMasked: maskKeyOnReceipt(open(encryptionContexts.pixKey(userId, id), row.pixKeySealed), pixKeyType),
    pixKeyType,
    endToEndId: row.endToEndId,
    completedAt: stateEnteredAt.toISOString(),
    completedAtSaoPaulo: saoPauloTime(stateEnteredAt),
  };
}

/** The name is that of the identity check. The user chooses the display name, so it proves nothing to the recipient. */
function payerNameIn(
  open: Open,
  { userId, identitySealed, identitySealedAt }: PaymentForReceipt,
): string | null {
  if (identitySealed === null) return null;
  // A verification has its user's id.
  const identity = open(encryptionContexts.identity(userId, userId, identitySealedAt), identitySealed);
  const { fullName } = JSON.parse(identity) as { fullName: string | null };
  return plainTextOf(fullName ?? '') || null;
}

/** Without a look-up or a code that the provider read, the payment's name is what the user typed. A receipt must not confirm it. */
const recipientNameIn = (
  open: Open,
  { id, userId, lookupId, codeId, recipientNameSealed: name }: PaymentForReceipt,
): string | null =>
  (lookupId === null && codeId === null) || name === null
    ? null
    : open(encryptionContexts.recipientName(userId, id), name);

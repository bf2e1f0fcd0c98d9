// The two requests that pay out a PIX payment, under one handle: the first creates the payout, later ones re-issue it.

import { handleFor } from '../domain/handles.ts';
import { accountRefsIn } from '../ledger/account-refs.ts';
import type { Entity } from '../platform/database/entities/rows.ts';
import type { Db } from '../platform/database/orm.ts';
import { encryptionContexts } from '../platform/security/encryption-contexts.ts';
import type { Sealer } from '../platform/security/sealer.ts';
import { findPaymentToPayOut } from '../platform/sql/pix-payments.ts';
import { type CreatedOrRefused, createOrAdopt } from '../provider/create-or-adopt.ts';
import type { PayoutSnapshot, Provider } from '../provider/port.ts';
import { assertNoTwin } from './look-up.ts';

export type PaymentToPayOut = Awaited<ReturnType<typeof findPayment>>;

export async function findPayment(db: Db, { subjectId: id, userId }: Entity<'Effect'>) {
  const payment = await findPaymentToPayOut(db, { id, userId });
  if (!payment) throw new Error(`the payment ${id} is missing`);
  return payment;
}

export const payoutHandleOf = ({ id }: PaymentToPayOut): string => handleFor(id, 'payout');

export function createPayout(
  { provider, sealer }: { provider: Provider; sealer: Sealer },
  payment: PaymentToPayOut,
): Promise<CreatedOrRefused<PayoutSnapshot>> {
  const handle = payoutHandleOf(payment);
  return createOrAdopt({
    find: () => provider.findPayout(handle),
    create: async () => {
      const destination = await openDestination(sealer, payment);
      return provider.createPayout({
        handle,
        sourceAccountRef: accountRefsIn(payment.refs).of('BRL'),
        amountMinor: payment.amountBrlMinor,
        currency: 'BRL',
        destination,
      });
    },
  });
}

async function openDestination(sealer: Sealer, payment: PaymentToPayOut) {
  const { id, userId, pixKeyType, pixKeySealed, recipientNameSealed: nameSealed } = payment;
  return {
    rail: 'PIX' as const,
    pixKey: await sealer.open(encryptionContexts.pixKey(userId, id), pixKeySealed),
    pixKeyType,
    recipientName:
      nameSealed && (await sealer.open(encryptionContexts.recipientName(userId, id), nameSealed)),
  };
}

/**
 * Re-issues a failed payout under the same handle.
 * @throws OutcomeUnknown while a twin is unresolved, because re-issuing could then pay twice.
 */
export async function reissuePayout(
  { db, provider }: { db: Db; provider: Provider },
  effect: Entity<'Effect'>,
  payment: PaymentToPayOut,
  { providerRef }: PayoutSnapshot,
): Promise<CreatedOrRefused<PayoutSnapshot>> {
  await assertNoTwin(db, effect);
  const handle = payoutHandleOf(payment);
  return createOrAdopt({
    find: () => provider.findPayout(handle),
    create: () => provider.reissuePayout({ providerRef, handle, attempt: payment.payoutAttempt }),
  });
}

// Pays the merchant: creates the payout, or issues it again when an earlier attempt failed. Always the same origin id.
import type { App } from '../app.ts';
import { handleFor } from '../domain/handles.ts';
import type { EffectRow } from '../entities/rows.ts';
import { applyReported } from '../lifecycle/apply-reported.ts';
import { pixPayment } from '../lifecycle/pix-payment.ts';
import { OutcomeUnknown } from '../provider/errors.ts';
import type { PayoutSnapshot } from '../provider/port.ts';
import { accountRefs } from '../queries/account-refs.ts';
import { encryptionContexts } from '../sealing/encryption-contexts.ts';
import { completeWith } from './complete.ts';
import { createOrAdopt } from './create-or-adopt.ts';
import { causeOf, type EffectHandler } from './effect.ts';
import { failDefinitively } from './fail-definitively.ts';
import { assertRepeatable, untilUnansweredIsOld } from './in-flight.ts';
import { assertNoTwin, lookUp } from './look-up.ts';

export const startPayout: EffectHandler = async (app, effect) => {
  const payment = await findPayment(app, effect);
  const handle = handleFor(payment.id, 'payout');
  const attempt = payment.payout_attempt;
  const find = () => app.provider.findPayout(handle);
  const isFirstTry = attempt === 1 && effect.attempts === 0;
  const { existing, lookedUpAt } = await lookUp(app, effect, handle, find, isFirstTry);
  if (existing && existing.attempt >= attempt) return completeWith(app, effect, existing);
  assertRepeatable(effect, lookedUpAt);
  if (existing) await assertNoTwin(app.db, effect);

  const placed = await createOrAdopt({
    find,
    create: () =>
      existing
        ? app.provider.reissuePayout({ providerRef: existing.providerRef, handle, attempt })
        : createPayout(app, payment, handle),
  });
  if ('snapshot' in placed) {
    if (placed.snapshot.attempt >= attempt) return completeWith(app, effect, placed.snapshot);
    await applyReported(app, placed.snapshot, causeOf(effect));
    throw new OutcomeUnknown('startPayout', 'the answer is about an earlier attempt');
  }
  if (existing && (await hasComeGood(app, effect, existing))) return 'returned';
  return failDefinitively(
    app,
    pixPayment,
    effect,
    { type: 'off-ramp.failed', reason: 'payout_failed', attempt, attempted: false },
    { why: placed.refusal, lookedUpAt, inFlightUntil: untilUnansweredIsOld },
  );
};

type Payment = Awaited<ReturnType<typeof findPayment>>;

const findPayment = (app: App, effect: EffectRow) =>
  app.db
    .selectFrom('pix_payments')
    .select([
      'id',
      'user_id',
      'amount_brl_minor',
      'payout_attempt',
      'pix_key_type',
      'pix_key_sealed',
      'recipient_name_sealed',
    ])
    .where('id', '=', effect.subject_id)
    .where('user_id', '=', effect.user_id)
    .executeTakeFirstOrThrow();

async function createPayout(app: App, payment: Payment, handle: string): Promise<PayoutSnapshot> {
  const { id, user_id: userId, recipient_name_sealed: nameSealed } = payment;
  const accounts = await accountRefs(app.db, userId);
  return app.provider.createPayout({
    handle,
    sourceAccountRef: accounts.of('BRL'),
    amountMinor: payment.amount_brl_minor,
    currency: 'BRL',
    destination: {
      rail: 'PIX',
      pixKey: await app.sealer.open(encryptionContexts.pixKey(userId, id), payment.pix_key_sealed),
      pixKeyType: payment.pix_key_type,
      recipientName:
        nameSealed && (await app.sealer.open(encryptionContexts.recipientName(userId, id), nameSealed)),
    },
  });
}

/** A refused re-issue may mean that the earlier attempt came good after all: what exists decides, not the refusal. */
async function hasComeGood(app: App, effect: EffectRow, { providerRef }: PayoutSnapshot): Promise<boolean> {
  return (await applyReported(app, await app.provider.getPayout(providerRef), causeOf(effect))) === 'applied';
}

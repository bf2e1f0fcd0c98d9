// Pays the merchant: creates the payout, or issues it again when an earlier attempt failed. Always the same origin id.
import { handleFor } from '../domain/handles.ts';
import { observe } from '../lifecycle/observe.ts';
import { pixPayment } from '../lifecycle/pix-payment.ts';
import { ProviderUnknown } from '../provider/errors.ts';
import { accountRefs } from '../queries/account-refs.ts';
import { places } from '../sealing/places.ts';
import { causeOf, type EffectHandler } from './effect.ts';
import { finishWith } from './finish.ts';
import { place } from './place.ts';
import { settle } from './settle.ts';

export const startPayout: EffectHandler = async (app, effect) => {
  const payment = await app.db
    .selectFrom('pix_payments')
    .select([
      'id',
      'amount_brl_minor',
      'payout_attempt',
      'pix_key_type',
      'pix_key_sealed',
      'recipient_name_sealed',
    ])
    .where('id', '=', effect.subject_id)
    .where('user_id', '=', effect.user_id)
    .executeTakeFirstOrThrow();
  const handle = handleFor(payment.id, 'payout');
  const attempt = payment.payout_attempt;
  const existing = attempt > 1 ? await app.provider.findPayout(handle) : null;

  const placed = existing
    ? await place(0, {
        find: () => app.provider.findPayout(handle),
        create: () => app.provider.reissuePayout({ providerRef: existing.providerRef, handle, attempt }),
      })
    : await place(effect.attempts, {
        find: () => app.provider.findPayout(handle),
        create: async () => {
          const accounts = await accountRefs(app.db, effect.user_id);
          const { user_id: userId } = effect;
          return app.provider.createPayout({
            handle,
            sourceAccountRef: accounts.of('BRL'),
            amountMinor: payment.amount_brl_minor,
            currency: 'BRL',
            destination: {
              rail: 'PIX',
              pixKey: await app.sealer.open(places.pixKey(userId, payment.id), payment.pix_key_sealed),
              pixKeyType: payment.pix_key_type,
              recipientName:
                payment.recipient_name_sealed &&
                (await app.sealer.open(
                  places.recipientName(userId, payment.id),
                  payment.recipient_name_sealed,
                )),
            },
          });
        },
      });
  if ('snapshot' in placed) {
    if (placed.snapshot.attempt >= attempt) return finishWith(app, effect, placed.snapshot);
    await observe(app, placed.snapshot, causeOf(effect));
    throw new ProviderUnknown('startPayout', 'the answer is about an earlier attempt');
  }
  // A refused re-issue may mean that the earlier attempt came good after all: what exists decides, not the refusal.
  if (
    existing &&
    (await observe(app, await app.provider.getPayout(existing.providerRef), causeOf(effect))) === 'applied'
  )
    return 'returned';
  return settle(app, pixPayment, effect, {
    type: 'off-ramp.failed',
    reason: 'payout_failed',
    attempt,
    attempted: false,
  });
};

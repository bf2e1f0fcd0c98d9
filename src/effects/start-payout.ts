// Pays the merchant. The first attempt creates a payout, a retry re-issues the same one, and what an unanswered request has
// already made is adopted: always under one handle.
import type { App } from '../app.ts';
import { byEntity } from '../database/by-entity.ts';
import { handleFor } from '../domain/handles.ts';
import type { EffectRow } from '../entities/rows.ts';
import { applyReported } from '../lifecycle/apply-reported.ts';
import { pixPayment } from '../lifecycle/pix-payment.ts';
import { OutcomeUnknown, type RefusalCode } from '../provider/errors.ts';
import type { PayoutSnapshot } from '../provider/port.ts';
import { accountRefs } from '../queries/account-refs.ts';
import { encryptionContexts } from '../sealing/encryption-contexts.ts';
import { completeWith } from './complete.ts';
import { type CreatedOrRefused, createOrAdopt } from './create-or-adopt.ts';
import { causeOf, type EffectHandler, type KnownOutcome } from './effect.ts';
import { failDefinitively } from './fail-definitively.ts';
import { assertRepeatable, untilUnansweredIsOld } from './in-flight.ts';
import { assertNoTwin, type LookedUp, lookUp } from './look-up.ts';

export const startPayout: EffectHandler = async (app, effect) => {
  const payment = await findPayment(app, effect);
  const { existing, lookedUpAt } = await lookUpPayout(app, effect, payment);
  if (existing && existing.attempt >= payment.payoutAttempt) return completeWith(app, effect, existing);
  assertRepeatable(effect, lookedUpAt);
  const answer = existing ? await reissue(app, effect, payment, existing) : await createPayout(app, payment);
  if ('snapshot' in answer) return adopt(app, effect, payment, answer.snapshot);
  if (existing && (await hasComeGood(app, effect, existing))) return { kind: 'done' };
  return fail(app, effect, payment, answer.refusal, lookedUpAt);
};

type Payment = Awaited<ReturnType<typeof findPayment>>;

const findPayment = (app: App, effect: EffectRow) =>
  byEntity(app.db)
    .selectFrom('PixPayment')
    .select([
      'id',
      'userId',
      'amountBrlMinor',
      'payoutAttempt',
      'pixKeyType',
      'pixKeySealed',
      'recipientNameSealed',
    ])
    .where('id', '=', effect.subject_id)
    .where('userId', '=', effect.user_id)
    .executeTakeFirstOrThrow();

const handleOf = ({ id }: Payment): string => handleFor(id, 'payout');

/** A retry is looked up, too: the payout of the attempt before it is the one to re-issue. */
function lookUpPayout(app: App, effect: EffectRow, payment: Payment): Promise<LookedUp<PayoutSnapshot>> {
  const handle = handleOf(payment);
  const isFirstTry = payment.payoutAttempt === 1 && effect.attempts === 0;
  return lookUp(app, effect, handle, () => app.provider.findPayout(handle), isFirstTry);
}

function createPayout(app: App, payment: Payment): Promise<CreatedOrRefused<PayoutSnapshot>> {
  const handle = handleOf(payment);
  return createOrAdopt({
    find: () => app.provider.findPayout(handle),
    create: async () => {
      const accounts = await accountRefs(app.db, payment.userId);
      return app.provider.createPayout({
        handle,
        sourceAccountRef: accounts.of('BRL'),
        amountMinor: payment.amountBrlMinor,
        currency: 'BRL',
        destination: await openDestination(app, payment),
      });
    },
  });
}

async function openDestination({ sealer }: App, payment: Payment) {
  const { id, userId, pixKeyType, pixKeySealed, recipientNameSealed: nameSealed } = payment;
  return {
    rail: 'PIX' as const,
    pixKey: await sealer.open(encryptionContexts.pixKey(userId, id), pixKeySealed),
    pixKeyType,
    recipientName:
      nameSealed && (await sealer.open(encryptionContexts.recipientName(userId, id), nameSealed)),
  };
}

/** @throws OutcomeUnknown while a twin is unresolved: re-issuing beside it could pay twice. */
async function reissue(
  app: App,
  effect: EffectRow,
  payment: Payment,
  { providerRef }: PayoutSnapshot,
): Promise<CreatedOrRefused<PayoutSnapshot>> {
  await assertNoTwin(app.db, effect);
  const handle = handleOf(payment);
  return createOrAdopt({
    find: () => app.provider.findPayout(handle),
    create: () => app.provider.reissuePayout({ providerRef, handle, attempt: payment.payoutAttempt }),
  });
}

/** @throws OutcomeUnknown when the answer is about an earlier attempt: that is applied, and this one tried again. */
async function adopt(
  app: App,
  effect: EffectRow,
  { payoutAttempt }: Payment,
  payout: PayoutSnapshot,
): Promise<KnownOutcome> {
  if (payout.attempt >= payoutAttempt) return completeWith(app, effect, payout);
  await applyReported(app, payout, causeOf(effect));
  throw new OutcomeUnknown('startPayout', 'the answer is about an earlier attempt');
}

/** A refused re-issue may mean that the earlier attempt came good after all: what exists decides, not the refusal. */
async function hasComeGood(app: App, effect: EffectRow, { providerRef }: PayoutSnapshot): Promise<boolean> {
  return (await applyReported(app, await app.provider.getPayout(providerRef), causeOf(effect))) === 'applied';
}

const fail = (
  app: App,
  effect: EffectRow,
  { payoutAttempt: attempt }: Payment,
  why: RefusalCode,
  lookedUpAt: Date | null,
): Promise<KnownOutcome> =>
  failDefinitively(
    app,
    pixPayment,
    effect,
    { type: 'off-ramp.failed', reason: 'payout_failed', attempt, attempted: false },
    { why, lookedUpAt, inFlightUntil: untilUnansweredIsOld },
  );

// The second conversion of a two-hop payment, and the way back when it cannot be had. Both take a fresh quote, because
// the first conversion takes its time. Giving up is the dangerous part: it is done only when no earlier request can
// still go through. A quote that is committed and not answered since stands for a request that may be on its way.
import type { App } from '../app.ts';
import type { HomeCurrency } from '../domain/currency.ts';
import { handleFor } from '../domain/handles.ts';
import type { EffectRow } from '../entities/rows.ts';
import { pixPayment } from '../lifecycle/pix-payment.ts';
import { OutcomeUnknown, ProviderRefusal } from '../provider/errors.ts';
import type { ProviderQuote, QuoteRequest } from '../provider/port.ts';
import { type AccountRefs, accountRefs } from '../queries/account-refs.ts';
import { commitQuote, forgetQuote, markConsumed, type RequotedLeg } from './committed-quotes.ts';
import { completeWith } from './complete.ts';
import { createOrAdopt } from './create-or-adopt.ts';
import type { Ending } from './effect.ts';
import { failDefinitively } from './fail-definitively.ts';
import { StillInFlight, untilConsumedQuotesAreOver, untilFreshQuotesAreOver } from './in-flight.ts';
import { assertNoTwin, lookUp } from './look-up.ts';

/** Later than this after its quote was committed, no request is sent with it any more. */
const COMMITTED_WITHIN_MS = 5_000;
/** After this long without success the second conversion takes no further quote, and the money goes back. */
const LEG2_LIMIT_MS = 15 * 60_000;

type Payment = {
  id: string;
  source_currency: HomeCurrency;
  amount_brl_minor: number;
  home_debit_minor: number | null;
  usdc_delivered_minor: number | null;
};

export async function startRequotedConversion(
  app: App,
  effect: EffectRow,
  leg: RequotedLeg,
): Promise<Ending> {
  const handle = handleFor(effect.subject_id, `conversion-${leg}`);
  const find = () => app.provider.findTransfer(handle);
  const { existing, lookedUpAt } = await lookUp(app, effect, handle, find, false);
  if (existing) return completeWith(app, effect, existing);
  if (leg === 'reverse') await assertNoTwin(app.db, effect);

  const giveUp = (why: string) =>
    failDefinitively(
      app,
      pixPayment,
      effect,
      { type: `${leg}.failed`, reason: 'conversion_failed' },
      { why, lookedUpAt, inFlightUntil: untilFreshQuotesAreOver(leg) },
    );
  if (effect.held_refusal !== null) return giveUp(effect.held_refusal);
  if (leg === 'leg2' && isOutOfTime(app, effect)) return giveUp('took too long');
  await assertNoQuoteIsConsumed(app, effect, leg, lookedUpAt);

  const payment = await findPayment(app, effect);
  const quote = await quoteFor(app, payment, leg);
  if (quote === 'refused') return giveUp('no quote can be had');
  // Never more than the first conversion delivered: the rest of that account is not this payment's.
  if (quote.sourceAmountMinor > (payment.usdc_delivered_minor ?? 0))
    return giveUp('the market asks too much');
  const between = route(await accountRefs(app.db, effect.user_id), payment, leg);
  const committedAt = await commitQuote(app, effect, leg, handle, quote);
  if (committedAt === null) return 'returned';

  // From here on a request may be on its way.
  const placed = await createOrAdopt({
    find,
    create: async () => {
      if (app.clock.now().getTime() - committedAt.getTime() > COMMITTED_WITHIN_MS)
        throw new OutcomeUnknown(leg, 'not sent: committing its quote took too long', { sent: false });
      return app.provider.createTransfer({ handle, quoteRef: quote.providerRef, ...between });
    },
  }).catch(async (error: unknown) => {
    if (error instanceof OutcomeUnknown && !error.mayHaveActed) await forgetQuote(app, quote);
    throw error;
  });
  if ('snapshot' in placed) return completeWith(app, effect, placed.snapshot);
  if (placed.refusal === 'quote_consumed') {
    await markConsumed(app, quote);
    throw needsAnotherQuote(leg, placed.refusal);
  }
  await forgetQuote(app, quote);
  if (placed.refusal === 'quote_expired') throw needsAnotherQuote(leg, placed.refusal);
  return giveUp(placed.refusal);
}

const needsAnotherQuote = (leg: RequotedLeg, refusal: string) =>
  new OutcomeUnknown(leg, `needs another quote: ${refusal}`, { mayHaveActed: false });

// Time while an operator held the effect back does not count, and what was never tried is not out of time.
const isOutOfTime = (
  app: App,
  { attempts, created_at: createdAt, paused_ms: pausedMs }: EffectRow,
): boolean => attempts > 0 && app.clock.now().getTime() - createdAt.getTime() - pausedMs > LEG2_LIMIT_MS;

/** @throws StillInFlight while the transfer that consumed a quote of this leg, ours perhaps, may still appear. */
async function assertNoQuoteIsConsumed(
  app: App,
  effect: EffectRow,
  leg: RequotedLeg,
  lookedUpAt: Date | null,
): Promise<void> {
  const until = await untilConsumedQuotesAreOver(app.db, effect.subject_id, leg);
  if (until === null || lookedUpAt === null || lookedUpAt >= until) return;
  throw new StillInFlight(leg, 'its quote was consumed', until.getTime() - lookedUpAt.getTime());
}

const findPayment = (app: App, effect: EffectRow): Promise<Payment> =>
  app.db
    .selectFrom('pix_payments')
    .select(['id', 'source_currency', 'amount_brl_minor', 'home_debit_minor', 'usdc_delivered_minor'])
    .where('id', '=', effect.subject_id)
    .where('user_id', '=', effect.user_id)
    .executeTakeFirstOrThrow();

async function quoteFor(app: App, payment: Payment, leg: RequotedLeg): Promise<ProviderQuote | 'refused'> {
  try {
    return await app.provider.createQuote(leg === 'leg2' ? towardsReais(payment) : wayBack(app, payment));
  } catch (error) {
    if (error instanceof ProviderRefusal) return 'refused';
    throw error;
  }
}

/** Anchored on the target: the merchant receives exactly what was promised. */
const towardsReais = (payment: Payment): QuoteRequest => ({
  sourceCurrency: 'USDC',
  destinationCurrency: 'BRL',
  destinationAmountMinor: payment.amount_brl_minor,
});

/** Anchored on the exact debit: the user gets back what was paid, and the company bears a small move of the market. */
function wayBack(app: App, payment: Payment): QuoteRequest {
  if (payment.home_debit_minor === null || payment.usdc_delivered_minor === null)
    throw new Error('a payment on its way back that never was on its way');
  return {
    sourceCurrency: 'USDC',
    destinationCurrency: payment.source_currency,
    destinationAmountMinor: payment.home_debit_minor,
    subsidy: { maxSourceAmountMinor: payment.usdc_delivered_minor, capBps: app.config.makeWholeCapBps },
  };
}

const route = (accounts: AccountRefs, payment: Payment, leg: RequotedLeg) => ({
  sourceAccountRef: accounts.of('USDC'),
  destinationAccountRef: accounts.of(leg === 'leg2' ? 'BRL' : payment.source_currency),
});

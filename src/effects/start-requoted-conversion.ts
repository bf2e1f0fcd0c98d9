// The second conversion of a two-hop payment, and the way back when it cannot be had. Both take a fresh quote, because
// the first conversion takes its time. Giving up is the dangerous part: it is done only when no earlier request can
// still go through.
import type { App } from '../app.ts';
import type { HomeCurrency } from '../domain/currency.ts';
import { handleFor } from '../domain/handles.ts';
import { lockRow } from '../lifecycle/advance.ts';
import { pixPayment } from '../lifecycle/pix-payment.ts';
import { isUnsent, ProviderRefusal, ProviderUnknown } from '../provider/errors.ts';
import { SENT_WITHIN_MS } from '../provider/gate.ts';
import type { ProviderQuote, QuoteRequest } from '../provider/port.ts';
import { type AccountRefs, accountRefs } from '../queries/account-refs.ts';
import { type CommittedQuote, latestQuote } from '../queries/conversion-quotes.ts';
import type { EffectRow, Ending } from './effect.ts';
import { finishWith } from './finish.ts';
import { IN_FLIGHT_MS, StillInFlight } from './in-flight.ts';
import { place } from './place.ts';
import { settle } from './settle.ts';

export type RequotedLeg = 'leg2' | 'reverse';

/** Later than this after its quote was written down, no request is sent any more. */
const COMMITTED_WITHIN_MS = 5_000;
/** After this long without success the second conversion is given up, and the money goes back. */
const LEG2_PATIENCE_MS = 15 * 60_000;

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
  const payment = await findPayment(app, effect);
  // Looked at before the look-up: what was on its way then is found by it, or is still on its way.
  const lastQuote = await latestQuote(app.db, payment.id, leg);
  const inFlightMs = inFlightForMs(app, lastQuote);
  const isExpired = isLongExpired(app, lastQuote);
  const existing = await app.provider.findTransfer(handle);
  if (existing) return finishWith(app, effect, existing);
  const giveUp = (why: string) => {
    if (inFlightMs > 0) throw new StillInFlight(leg, why, inFlightMs);
    return settle(app, pixPayment, effect, { type: `${leg}.failed`, reason: 'conversion_failed' });
  };
  const waitedMs = app.clock.now().getTime() - effect.created_at.getTime();
  if (leg === 'leg2' && waitedMs > LEG2_PATIENCE_MS && isExpired) return giveUp('took too long');

  const quote = await quoteFor(app, payment, leg);
  if (quote === 'refused') return giveUp('no quote can be had');
  // Never more than the first conversion delivered: the rest of that account is not this payment's.
  if (quote.sourceAmountMinor > (payment.usdc_delivered_minor ?? 0))
    return giveUp('the market asks too much');
  const between = route(await accountRefs(app.db, effect.user_id), payment, leg);
  const committedAt = await commitQuote(app, effect, leg, quote);
  if (committedAt === null) return 'returned';

  // From here on a request may be on its way.
  const placed = await place(0, {
    find: () => app.provider.findTransfer(handle),
    create: async () => {
      if (app.clock.now().getTime() - committedAt.getTime() > COMMITTED_WITHIN_MS)
        throw new ProviderUnknown(leg, 'not sent: committing its quote took too long', { sent: false });
      return app.provider.createTransfer({ handle, quoteRef: quote.providerRef, ...between });
    },
  }).catch(async (error: unknown) => {
    if (isUnsent(error)) await forgetQuote(app, quote);
    throw error;
  });
  if ('snapshot' in placed) return finishWith(app, effect, placed.snapshot);
  await forgetQuote(app, quote);
  const isAboutTheQuote = placed.refusal === 'quote_expired' || placed.refusal === 'quote_consumed';
  if (isAboutTheQuote) throw new ProviderUnknown(leg, `needs another quote: ${placed.refusal}`);
  return giveUp(`refused with ${placed.refusal}`);
}

/**
 * A request is sent soon after its quote was committed or never, and is of no use after the quote has expired.
 * @returns for how many milliseconds one of this leg could still create a transfer: until then no refusal is believed.
 */
function inFlightForMs(app: App, quote: CommittedQuote | null): number {
  if (quote === null) return 0;
  const lastSentMs = quote.committedAt.getTime() + COMMITTED_WITHIN_MS + SENT_WITHIN_MS;
  const overMs =
    Math.min(lastSentMs + app.config.provider.timeoutMs, quote.expiresAt.getTime()) + IN_FLIGHT_MS;
  return Math.max(0, overMs - app.clock.now().getTime());
}

/** Without any refusal, nothing but the end of every quote says that no request is on its way. */
const isLongExpired = (app: App, quote: CommittedQuote | null): boolean =>
  quote === null || quote.expiresAt.getTime() + IN_FLIGHT_MS <= app.clock.now().getTime();

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

/** What was refused or never sent created nothing: no request with this quote is on its way, so none is waited for. */
async function forgetQuote(app: App, { providerRef }: ProviderQuote): Promise<void> {
  await app.db.deleteFrom('conversion_quotes').where('provider_quote_id', '=', providerRef).execute();
}

/** @returns when, or null when the payment has moved on: then nothing may be sent any more. */
function commitQuote(
  app: App,
  effect: EffectRow,
  leg: RequotedLeg,
  quote: ProviderQuote,
): Promise<Date | null> {
  return app.db.transaction().execute(async (tx) => {
    const row = await lockRow(tx, pixPayment, { id: effect.subject_id, userId: effect.user_id });
    if (row === null || row.seq !== effect.seq) return null;
    const now = app.clock.now();
    await tx
      .insertInto('conversion_quotes')
      .values({
        provider_quote_id: quote.providerRef,
        user_id: row.user_id,
        payment_id: row.id,
        leg,
        expires_at: quote.expiresAt,
        created_at: now,
      })
      .execute();
    return now;
  });
}

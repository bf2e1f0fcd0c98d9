// Converts the BRL of a failed payout back to the exact home debit. Nothing is returned automatically. The quote is taken first, so a
// return that costs too much changes nothing. Concurrent calls begin one return.

import type { Clock } from '../../../../src/domain/clock.ts';
import { handleFor } from '../../../../src/domain/handles.ts';
import { insertQuote } from '../../../../src/effects/committed-quotes.ts';
import { returnQuoteRequest } from '../../../../src/effects/fresh-quote.ts';
import { LONGEST_UNANSWERED_MS } from '../../../../src/effects/in-flight.ts';
import { findPayoutMoney, isMoneyDisputed } from '../../../../src/effects/payout-money.ts';
import { advance, lockRow } from '../../../../src/lifecycle/advance.ts';
import { pixPayment } from '../../../../src/lifecycle/pix-payment.ts';
import { type Committing, transaction } from '../../../../src/outbox/hand-off.ts';
import type { Entity } from '../../../../src/platform/database/entities/rows.ts';
import type { Cause } from '../../../../src/platform/database/entities/transition.ts';
import type { Db } from '../../../../src/platform/database/orm.ts';
import { auditOperator } from '../../../../src/platform/security/audit-operator.ts';
import { findUnknownWrite } from '../../../../src/platform/sql/effects.ts';
import { findPixPaymentById, updateReturnCap } from '../../../../src/platform/sql/pix-payments.ts';
import { lockUserRow } from '../../../../src/platform/sql/users.ts';
import { ProviderRefusal } from '../../../../src/provider/errors.ts';
import type { Provider, ProviderQuote } from '../../../../src/provider/port.ts';
import { type ApplyServices, applyReported } from '../../../../src/reports/apply-reported.ts';
import { type CommandCall, type CommandSpec, OpsFailure, UsageError } from '../command.ts';
import { amount, moment, noSuchPayment } from '../format.ts';
import { printResult } from '../output.ts';

export const paymentsReturnCommand: CommandSpec = {
  name: 'payments return',
  summary: "convert a failed payout's BRL back to the user's balance, to the exact debit",
  argument: { name: 'paymentId', form: 'uuid' },
  options: {
    'subsidy-cap-bps': {
      placeholder: '<0-10000>',
      summary: "how much of the market's price the company bears, instead of MAKE_WHOLE_CAP_BPS",
    },
  },
  run,
};

const HIGHEST_CAP_BPS = 10_000;

async function run(call: CommandCall): Promise<void> {
  const { app, out, argument: id, options, operator, reason } = call;
  const capBps = options['subsidyCapBps'] === undefined ? null : capIn(String(options['subsidyCapBps']));
  const action = capBps === null ? 'payments return' : `payments return --subsidy-cap-bps ${capBps}`;
  const returned = await returnPayment(app, {
    id,
    capBps,
    cause: { kind: 'operator', id: operator },
    inSameCommit: (tx, userId) =>
      auditOperator(tx, { operator, reason, action, target: id, userId, now: app.clock.now() }),
  });
  switch (returned.outcome) {
    case 'returning':
      return printResult(out, {
        changed: true,
        sentence: `${amount(returned.costMinor, 'BRL')} is converted back to ${amount(returned.homeDebitMinor, returned.currency)}, the exact debit. See: npm run ops -- show ${id}`,
      });
    case 'cap_changed':
      return printResult(out, {
        changed: true,
        sentence: 'The return uses this cap from its next attempt on. effects requeue tries it now.',
      });
    case 'under_way':
      return printResult(out, { changed: false, sentence: 'The payment is being returned already.' });
    case 'returned':
      return printResult(out, { changed: false, sentence: 'The payment has been returned already.' });
    default:
      throw new OpsFailure(sentenceOf(returned, id));
  }
}

function capIn(text: string): number {
  const capBps = Number(text);
  if (Number.isInteger(capBps) && capBps >= 0 && capBps <= HIGHEST_CAP_BPS) return capBps;
  throw new UsageError(`--subsidy-cap-bps takes a whole number from 0 to ${HIGHEST_CAP_BPS}.`);
}

type Refused = Exclude<Returned, { outcome: 'returning' | 'cap_changed' | 'under_way' | 'returned' }>;

function sentenceOf(refused: Refused, id: string): string {
  switch (refused.outcome) {
    case 'not_found':
      return noSuchPayment(id);
    case 'not_failed':
      return `The payment is ${refused.state}: only payout_failed can be returned.`;
    case 'too_early':
      return `The payout failed a short time ago, and may still be completed. It can be returned from ${moment(refused.from)} UTC on.`;
    case 'blocked':
      return `Nothing was changed: ${refused.why}.`;
    case 'changed_meanwhile':
      return `The payment changed meanwhile. See: npm run ops -- show ${id}`;
    case 'too_dear':
      return tooDear(refused);
  }
}

function tooDear({ marketMinor, heldMinor, capBps }: Extract<Refused, { outcome: 'too_dear' }>): string {
  if (marketMinor === null) return 'Nothing was changed: the provider gives no price for the exact debit.';
  const lacksMinor = Math.max(0, marketMinor - heldMinor);
  const lacksBps = Math.ceil((lacksMinor * 10_000) / marketMinor);
  return `Nothing was changed: the exact debit costs ${amount(marketMinor, 'BRL')}, which is ${amount(lacksMinor, 'BRL')} (${lacksBps} bps) more than the payment holds. The cap is ${capBps} bps; --subsidy-cap-bps raises it for this payment.`;
}

type Payment = Entity<'PixPayment'>;

type Services = ApplyServices & {
  provider: Provider;
  config: { returnAfterMs: number; makeWholeCapBps: number };
};

type ReturnRequest = {
  id: string;
  /** How much of the market's price the company bears, in basis points. Null for the configured `MAKE_WHOLE_CAP_BPS`. */
  capBps: number | null;
  cause: Cause;
  /** Writes more in the commit that begins the return or changes its cap. */
  inSameCommit: (tx: Db, userId: string) => Promise<void>;
};

type Returned =
  | { outcome: 'returning'; homeDebitMinor: number; costMinor: number; currency: Payment['sourceCurrency'] }
  | { outcome: 'cap_changed' }
  | { outcome: 'under_way' }
  | { outcome: 'returned' }
  | { outcome: 'not_found' }
  | { outcome: 'changed_meanwhile' }
  | { outcome: 'not_failed'; state: Payment['state'] }
  | { outcome: 'too_early'; from: Date }
  | { outcome: 'blocked'; why: string }
  /** `marketMinor` is what the exact debit costs now, in centavos; null if the provider gives no price at all. */
  | { outcome: 'too_dear'; marketMinor: number | null; heldMinor: number; capBps: number };

/**
 * Begins the return of a failed payout. A repetition changes nothing, except the cap of a return that waits for a price.
 * @throws OutcomeUnknown if the provider gives no usable answer. Nothing is changed then.
 */
async function returnPayment(services: Services, request: ReturnRequest): Promise<Returned> {
  const payment = await findPixPaymentById(services.db, { id: request.id });
  if (!payment) return { outcome: 'not_found' };
  if (payment.returnCapBps !== null && payment.state === 'refunding')
    return changeCap(services, payment, request);
  if (payment.returnCapBps !== null && payment.state === 'refunded') return { outcome: 'returned' };
  if (payment.state !== 'payout_failed') return { outcome: 'not_failed', state: payment.state };
  // The payout's bank may still report a late completion.
  const from = new Date(payment.stateEnteredAt.getTime() + services.config.returnAfterMs);
  if (services.clock.now() < from) return { outcome: 'too_early', from };

  const blocked = await whyBlocked(services.db, payment);
  if (blocked !== null) return { outcome: 'blocked', why: blocked };
  const money = await findPayoutMoney(services, payment);
  if (!money.isBack) {
    if (money.payout !== null) await applyReported(services, money.payout, request.cause);
    return { outcome: 'blocked', why: money.why };
  }
  const homeDebitMinor = await homeDebitOf(services.provider, payment);
  if (homeDebitMinor === null) return { outcome: 'blocked', why: 'the debit of its conversion is not known' };

  const capBps = request.capBps ?? services.config.makeWholeCapBps;
  const quote = await quoteWithin(services.provider, payment, homeDebitMinor, capBps);
  if ('marketMinor' in quote)
    return { outcome: 'too_dear', ...quote, heldMinor: payment.amountBrlMinor, capBps };
  return begin(services, payment, { homeDebitMinor, capBps, quote }, request);
}

/** Returns why the payment's money must not be moved now, by our own rows. Null if nothing is known against it. */
async function whyBlocked(db: Db, { id, userId }: Payment): Promise<string | null> {
  if (await isMoneyDisputed(db, { id, userId })) return 'a discrepancy is open: see discrepancies';
  const seconds = LONGEST_UNANSWERED_MS / 1_000;
  const unknown = await findUnknownWrite(db, { subjectId: id, userId, seconds });
  return unknown ? `the outcome of the effect ${unknown.id} is not known yet` : null;
}

/** Returns the recorded home debit. For rows of earlier versions, returns what the conversion at the provider debited; null if it is not known. */
async function homeDebitOf(provider: Provider, payment: Payment): Promise<number | null> {
  if (payment.homeDebitMinor !== null) return payment.homeDebitMinor;
  const conversion = await provider.findTransfer(handleFor(payment.id, 'conversion-direct'));
  const isOurs =
    conversion?.status === 'completed' &&
    conversion.others === undefined &&
    conversion.destinationAmountMinor === payment.amountBrlMinor;
  return isOurs ? conversion.sourceAmountMinor : null;
}

async function quoteWithin(
  provider: Provider,
  { sourceCurrency, amountBrlMinor }: Payment,
  homeDebitMinor: number,
  capBps: number,
): Promise<ProviderQuote | { marketMinor: number | null }> {
  const asked = returnQuoteRequest({ sourceCurrency, amountBrlMinor, homeDebitMinor, capBps });
  try {
    const quote = await provider.createQuote(asked);
    if (quote.sourceAmountMinor <= amountBrlMinor) return quote;
  } catch (error) {
    if (!(error instanceof ProviderRefusal)) throw error;
  }
  try {
    // Without the subsidy, the price is the market's.
    const { subsidy: _subsidy, ...market } = asked;
    return { marketMinor: (await provider.createQuote(market)).sourceAmountMinor };
  } catch (error) {
    if (!(error instanceof ProviderRefusal)) throw error;
    return { marketMinor: null };
  }
}

type Terms = { homeDebitMinor: number; capBps: number; quote: ProviderQuote };

/** Commits the return with its quote, if nothing has changed since the payment was read. Lock order: user, then payment. */
function begin(
  { db, outbox, clock }: Committing & { clock: Clock },
  payment: Payment,
  { homeDebitMinor, capBps, quote }: Terms,
  { cause, inSameCommit }: ReturnRequest,
): Promise<Returned> {
  const { id, userId } = payment;
  const now = clock.now();
  return transaction({ db, outbox }, async (tx): Promise<Returned> => {
    await lockUserRow(tx, { userId });
    const row = await lockRow(tx, pixPayment, { id, userId });
    if (row === null || row.seq !== payment.seq) return { outcome: 'changed_meanwhile' };
    const blocked = await whyBlocked(tx, row);
    if (blocked !== null) return { outcome: 'blocked', why: blocked };
    const event = { type: 'return.requested', homeDebitMinor, capBps } as const;
    const returning = await advance(tx, pixPayment, row, event, cause, now);
    if (returning === null) return { outcome: 'not_failed', state: row.state };
    const handle = handleFor(id, 'conversion-return');
    await insertQuote(tx, returning, { leg: 'return', handle, quote }, cause, now);
    await inSameCommit(tx, userId);
    const costMinor = quote.sourceAmountMinor;
    return { outcome: 'returning', homeDebitMinor, costMinor, currency: row.sourceCurrency };
  });
}

/** Changes the cap of a return that is under way. Its effect uses the new cap when it is tried again. */
function changeCap(
  { db, outbox }: Committing,
  { id, userId }: Payment,
  { capBps, inSameCommit }: ReturnRequest,
): Promise<Returned> {
  return transaction({ db, outbox }, async (tx): Promise<Returned> => {
    const row = await lockRow(tx, pixPayment, { id, userId });
    if (row === null || row.state !== 'refunding') return { outcome: 'changed_meanwhile' };
    if (capBps === null || capBps === row.returnCapBps) return { outcome: 'under_way' };
    await updateReturnCap(tx, { id, userId, returnCapBps: capBps });
    await inSameCommit(tx, userId);
    return { outcome: 'cap_changed' };
  });
}

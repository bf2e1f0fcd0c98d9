// Converts the BRL of a failed payout back to the exact home debit. Nothing is returned automatically. The quote is taken first, so a
// return that costs too much changes nothing. Concurrent calls begin one return. If the provider's movements do not show which payout a
// credit belongs to, two operators decide: the first call proposes the credit, the second one confirms it.

import { handleFor } from '../../src/domain/handles.ts';
import { uuidPattern } from '../../src/domain/ids.ts';
import { insertQuote } from '../../src/effects/committed-quotes.ts';
import { returnCapBps, returnQuoteRequest } from '../../src/effects/fresh-quote.ts';
import { findPayoutMoney } from '../../src/effects/payout-money.ts';
import { advance, lockRow } from '../../src/lifecycle/advance.ts';
import { pixPayment } from '../../src/lifecycle/pix-payment.ts';
import { transaction } from '../../src/outbox/hand-off.ts';
import { waitingOperator } from '../../src/provider/caller.ts';
import { ProviderRefusal } from '../../src/provider/errors.ts';
import type { Provider, ProviderQuote } from '../../src/provider/port.ts';
import { applyReported } from '../../src/reports/apply-reported.ts';
import { type App, servicesFor } from '../../src/start/app.ts';
import {
  confirmReturnCredit,
  findPixPaymentById,
  listOtherReturnCredits,
  proposeReturnCredit,
  setReturnCredit,
  updateReturnCap,
} from '../../src/tables/pix-payments/statements.ts';
import type { Entity } from '../../src/tables/rows.ts';
import { findStateRecordedAt } from '../../src/tables/transitions/statements.ts';
import { lockUserRow } from '../../src/tables/users/statements.ts';
import { audit, changed, unchanged } from '../action.ts';
import {
  type ActionResult,
  type CommandCall,
  type CommandSpec,
  OpsFailure,
  type OptionValue,
  UsageError,
} from '../command.ts';
import { amount, moment, noSuchPayment } from '../format.ts';
import { isOperatorName } from '../options.ts';
import { assertUnblocked, blocked } from '../unblocked.ts';
import { returnPart } from './return-part.ts';

export const paymentsReturnCommand: CommandSpec = {
  name: 'payments return',
  summary: "convert a failed payout's BRL back to the user's balance, to the exact debit",
  argument: { name: 'paymentId', form: 'uuid' },
  options: {
    'subsidy-cap-bps': {
      placeholder: '<0-10000>',
      summary: "how much of the market's price the company bears, instead of the configured cap",
    },
    'credited-by': {
      placeholder: '<uuid>',
      summary:
        'the movement that credited the payout, if the movements alone do not show it; takes two operators',
    },
    partial: {
      placeholder: '<uuid>',
      summary: 'convert a part of a completed payment instead, by the movement that credited it',
    },
  },
  run,
};

type Payment = Entity<'PixPayment'>;

/**
 * Begins the return of a failed payout. A repetition changes nothing, except the cap of a return that waits for a price.
 * @throws OutcomeUnknown if the provider gives no usable answer. Nothing is changed then.
 */
async function run(call: CommandCall): Promise<ActionResult> {
  const { app, argument: id, options, operator } = call;
  const services = servicesFor(app, waitingOperator);
  const requested = { capBps: capIn(options['subsidyCapBps']), creditRef: creditIn(options['creditedBy']) };
  const payment = await findPixPaymentById(app.db, { id });
  if (!payment) throw new OpsFailure(noSuchPayment(id));
  if (options['partial'] !== undefined) return returnPart(call, payment, partIn(options));
  const { state, returnCapBps: begunCapBps } = payment;
  if (begunCapBps !== null && state === 'refunding') return changeCap(call, payment, requested);
  if (begunCapBps !== null && state === 'refunded')
    return unchanged('The payment has been returned already.');
  if (state !== 'payout_failed') throw notFailed(state);
  await assertWaited(app, payment);
  await assertUnblocked(app.db, payment);
  const money = await findPayoutMoney(services, payment, requested.creditRef);
  if (!money.isBack) {
    if (money.payout !== null) await applyReported(app, money.payout, { kind: 'operator', id: operator });
    throw blocked(money.why);
  }
  if (requested.creditRef !== null && !isConfirmed(call, payment, requested.creditRef))
    return propose(call, payment, requested);
  const homeDebitMinor = await homeDebitOf(services.provider, payment);
  const capBps = requested.capBps ?? returnCapBps(app.config, payment);
  const quote = await quoteWithin(services.provider, payment, homeDebitMinor, capBps);
  return begin(call, payment, { homeDebitMinor, capBps, quote, creditRef: money.creditRef }, requested);
}

/** The options of a call. Null for those that it does not have. */
type ReturnOptions = { capBps: number | null; creditRef: string | null };

/**
 * Asserts that the payout failed long enough ago: until then its bank may still report a late completion. The clock of the process that
 * recorded the failure may have been wrong, so its time counts only if the database's is not later.
 */
async function assertWaited({ db, databaseClock, config }: App, payment: Payment): Promise<void> {
  const { id, userId, state, stateEnteredAt } = payment;
  const entry = { subjectKind: 'pix_payment', subjectId: id, userId, toState: state } as const;
  const { recordedAt = null } = (await findStateRecordedAt(db, entry)) ?? {};
  const failedAt = Math.max(stateEnteredAt.getTime(), recordedAt?.getTime() ?? 0);
  const from = new Date(failedAt + config.returnAfterMs);
  if ((await databaseClock.now(db)).isBefore(from))
    throw new OpsFailure(
      `The payout failed a short time ago, and may still be completed. It can be returned from ${moment(from)} UTC on.`,
    );
}

const HIGHEST_CAP_BPS = 10_000;

/** Returns how much of the market's price the company bears, in basis points. Null for the configured cap. */
function capIn(option: OptionValue): number | null {
  if (option === undefined) return null;
  const capBps = Number(option);
  if (Number.isInteger(capBps) && capBps >= 0 && capBps <= HIGHEST_CAP_BPS) return capBps;
  throw new UsageError(`--subsidy-cap-bps takes a whole number from 0 to ${HIGHEST_CAP_BPS}.`);
}

/** Returns the movement that an operator names as the payout's credit. */
function creditIn(option: OptionValue): string | null {
  if (option === undefined) return null;
  const creditRef = String(option).toLowerCase();
  if (uuidPattern.test(creditRef)) return creditRef;
  throw new UsageError('--credited-by takes the uuid of a movement.');
}

/** Returns the movement of a partial return. It is converted at the market's price, so it has neither a cap nor a proposal. */
function partIn({ partial, subsidyCapBps, creditedBy }: CommandCall['options']): string {
  if (subsidyCapBps !== undefined || creditedBy !== undefined)
    throw new UsageError('--partial takes neither --subsidy-cap-bps nor --credited-by.');
  const movementRef = String(partial).toLowerCase();
  if (uuidPattern.test(movementRef)) return movementRef;
  throw new UsageError('--partial takes the uuid of a movement.');
}

/**
 * Whether this call confirms another operator's proposal of the same movement.
 * @throws OpsFailure if the other operator has proposed another one.
 */
function isConfirmed({ operator }: CommandCall, row: Payment, creditRef: string): boolean {
  const { returnCreditProposedBy: by, returnCreditRef: proposed } = row;
  // Former versions accepted other names. Such a proposal has to be made again, as in payments settle.
  if (by === null || !isOperatorName(by) || by === operator) return false;
  if (proposed === creditRef) return true;
  throw new OpsFailure(
    `${by} proposed the credit ${proposed}. Confirm it, or let ${by} propose another one.`,
  );
}

/** Keeps an operator's claim that a movement credited the payout. Another operator's call with the same movement begins the return. */
function propose(
  call: CommandCall,
  { id, userId, seq }: Payment,
  requested: ReturnOptions,
): Promise<ActionResult> {
  const { creditRef } = requested;
  return transaction(call.app, async (tx) => {
    const row = await lockRow(tx, pixPayment, { id, userId });
    if (creditRef === null || row?.seq !== seq || isConfirmed(call, row, creditRef))
      throw changedMeanwhile(id);
    await proposeReturnCredit(tx, { id, userId, creditRef, by: call.operator });
    await audit(tx, call, {
      target: id,
      userId,
      action: actionOf(requested.capBps),
      reason: `proposed the credit ${creditRef}: ${call.reason}`,
    });
    return changed(
      `It is proposed: ${creditRef} credited the payout. Another operator begins the return with the same call.`,
    );
  });
}

const notFailed = (state: Payment['state']): OpsFailure =>
  new OpsFailure(`The payment is ${state}: only payout_failed can be returned.`);

const changedMeanwhile = (id: string): OpsFailure =>
  new OpsFailure(`The payment changed meanwhile. See: npm run ops -- show ${id}`);

/**
 * Returns the recorded home debit. For rows of earlier versions, returns what the conversion at the provider debited.
 * @throws OpsFailure if it is not known.
 */
async function homeDebitOf(provider: Provider, payment: Payment): Promise<number> {
  if (payment.homeDebitMinor !== null) return payment.homeDebitMinor;
  const conversion = await provider.findTransfer(handleFor(payment.id, 'conversion-direct'));
  const isOurs =
    conversion?.status === 'completed' &&
    conversion.others === undefined &&
    conversion.destinationAmountMinor === payment.amountBrlMinor;
  if (!isOurs) throw blocked('the debit of its conversion is not known');
  return conversion.sourceAmountMinor;
}

/**
 * Takes a quote for the exact debit.
 * @throws OpsFailure with the market's price if the payment's BRL and the cap do not suffice.
 */
async function quoteWithin(
  provider: Provider,
  { sourceCurrency, amountBrlMinor }: Payment,
  homeDebitMinor: number,
  capBps: number,
): Promise<ProviderQuote> {
  const request = returnQuoteRequest({ sourceCurrency, amountBrlMinor, homeDebitMinor, capBps });
  const quote = await unlessRefused(provider.createQuote(request));
  if (quote !== null && quote.sourceAmountMinor <= amountBrlMinor) return quote;
  // Without the subsidy, the price is the market's.
  const { subsidy: _subsidy, ...withoutSubsidy } = request;
  const market = await unlessRefused(provider.createQuote(withoutSubsidy));
  if (market === null) throw blocked('the provider gives no price for the exact debit');
  const marketMinor = market.sourceAmountMinor;
  const lacksMinor = Math.max(0, marketMinor - amountBrlMinor);
  const lacksBps = Math.ceil((lacksMinor * 10_000) / marketMinor);
  throw blocked(
    `the exact debit costs ${amount(marketMinor, 'BRL')}, which is ${amount(lacksMinor, 'BRL')} (${lacksBps} bps) more than the payment holds. The cap is ${capBps} bps; --subsidy-cap-bps raises it for this payment`,
  );
}

const unlessRefused = (quote: Promise<ProviderQuote>): Promise<ProviderQuote | null> =>
  quote.catch((error: unknown) => {
    if (error instanceof ProviderRefusal) return null;
    throw error;
  });

type Terms = { homeDebitMinor: number; capBps: number; quote: ProviderQuote; creditRef: string | null };

/** Commits the return with its quote, if nothing has changed since the payment was read. Lock order: user, then payment. */
function begin(
  call: CommandCall,
  payment: Payment,
  { homeDebitMinor, capBps, quote, creditRef }: Terms,
  requested: ReturnOptions,
): Promise<ActionResult> {
  const { id, userId, sourceCurrency } = payment;
  const now = call.app.clock.now();
  const cause = { kind: 'operator', id: call.operator } as const;
  return transaction(call.app, async (tx) => {
    await lockUserRow(tx, { userId });
    const row = await lockRow(tx, pixPayment, { id, userId });
    if (row === null || row.seq !== payment.seq) throw changedMeanwhile(id);
    await assertUnblocked(tx, row);
    if (requested.creditRef !== null && !isConfirmed(call, row, requested.creditRef))
      throw changedMeanwhile(id);
    const used = await listOtherReturnCredits(tx, { id, userId });
    if (used.some((one) => one.creditRef === creditRef)) throw changedMeanwhile(id);
    const event = { type: 'return.requested', homeDebitMinor, capBps } as const;
    const returning = await advance(tx, pixPayment, row, event, cause, now);
    if (returning === null) throw notFailed(row.state);
    const handle = handleFor(id, 'conversion-return');
    await insertQuote(tx, returning, { leg: 'return', handle, quote }, cause, now);
    if (requested.creditRef === null) await setReturnCredit(tx, { id, userId, creditRef });
    else await confirmReturnCredit(tx, { id, userId, by: call.operator });
    await audit(tx, call, {
      target: id,
      userId,
      action: actionOf(requested.capBps),
      ...(requested.creditRef !== null && { reason: `confirmed the credit ${creditRef}: ${call.reason}` }),
    });
    return changed(
      `${amount(quote.sourceAmountMinor, 'BRL')} is converted back to ${amount(homeDebitMinor, sourceCurrency)}, the exact debit. See: npm run ops -- show ${id}`,
    );
  });
}

/** Changes the cap of a return that is under way. Its effect uses the new cap when it is tried again. */
const changeCap = (
  call: CommandCall,
  { id, userId }: Payment,
  { capBps }: ReturnOptions,
): Promise<ActionResult> =>
  transaction(call.app, async (tx) => {
    const row = await lockRow(tx, pixPayment, { id, userId });
    if (row === null || row.state !== 'refunding') throw changedMeanwhile(id);
    if (capBps === null || capBps === row.returnCapBps)
      return unchanged('The payment is being returned already.');
    await updateReturnCap(tx, { id, userId, returnCapBps: capBps });
    await audit(tx, call, { target: id, userId, action: actionOf(capBps) });
    return changed('The return uses this cap from its next attempt on. effects requeue tries it now.');
  });

const actionOf = (capBps: number | null): string =>
  capBps === null ? 'payments return' : `payments return --subsidy-cap-bps ${capBps}`;

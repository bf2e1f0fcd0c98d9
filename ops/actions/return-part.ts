// Converts a partial return to the home currency, once. The provider's payout must still name the movement, and the movement must be the
// credit that it names. The quote is for the whole amount in BRL, so nothing is left over and the user gets what it is worth.
import { handleFor } from '../../src/domain/handles.ts';
import { isUuid } from '../../src/domain/ids.ts';
import { LONGEST_QUOTE_LIFE_MS } from '../../src/domain/quote-life.ts';
import { accountRefs } from '../../src/ledger/account-refs.ts';
import { advance, lockRow } from '../../src/lifecycle/advance.ts';
import { conversionHandle, payoutRefund } from '../../src/lifecycle/payout-refund.ts';
import { pixPayment } from '../../src/lifecycle/pix-payment.ts';
import { transaction } from '../../src/outbox/hand-off.ts';
import { DatabaseTime } from '../../src/platform/database/database-time.ts';
import { waitingOperator } from '../../src/provider/caller.ts';
import { ProviderRefusal } from '../../src/provider/errors.ts';
import type { Movement, PayoutSnapshot, Provider, ProviderQuote } from '../../src/provider/port.ts';
import { applyReported } from '../../src/reports/apply-reported.ts';
import { servicesFor } from '../../src/start/app.ts';
import type { Db } from '../../src/tables/orm.ts';
import { findRefundOfMovement, setRefundQuote } from '../../src/tables/payout-refunds/statements.ts';
import { listOtherReturnCredits } from '../../src/tables/pix-payments/statements.ts';
import type { Entity } from '../../src/tables/rows.ts';
import { lockUserRow } from '../../src/tables/users/statements.ts';
import { audit, changed, unchanged } from '../action.ts';
import { type ActionResult, type CommandCall, OpsFailure } from '../command.ts';
import { amount } from '../format.ts';
import { assertUnblocked, blocked } from '../unblocked.ts';

type Payment = Entity<'PixPayment'>;
type Refund = Entity<'PayoutRefund'>;

const ENDED: Partial<Record<Refund['state'], string>> = {
  converting: 'The partial return is being converted already.',
  converted: 'The partial return has been converted already.',
  returned_whole: 'The partial return is settled with its payment.',
};

/** Begins the conversion of a partial return. A repetition changes nothing. */
export async function returnPart(
  call: CommandCall,
  payment: Payment,
  movementRef: string,
): Promise<ActionResult> {
  const { app, operator } = call;
  const services = servicesFor(app, waitingOperator);
  const refund = await findRefundOfMovement(app.db, { movementRef });
  if (refund?.paymentId !== payment.id)
    throw new OpsFailure(`The payment has no partial return by the movement ${movementRef}.`);
  const ended = ENDED[refund.state];
  if (ended !== undefined) return unchanged(ended);
  if (payment.state === 'manual_review' && payment.failure === 'payout_returned')
    return settleWithPayment(call, refund);
  if (payment.state !== 'completed')
    throw new OpsFailure(`The payment is ${payment.state}: only a part of a completed one is converted.`);
  await assertBothUnblocked(app.db, payment, refund);
  const payout = await services.provider.findPayout(handleFor(payment.id, 'payout'));
  if (payout !== null && payout.status !== 'completed')
    await applyReported(app, payout, { kind: 'operator', id: operator });
  const why = await whyNotHere({ db: app.db, provider: services.provider }, payment, refund, payout);
  if (why !== null) throw blocked(why);
  return convert(call, payment, refund, await quoteFor(services.provider, refund));
}

async function assertBothUnblocked(db: Db, payment: Payment, refund: Refund): Promise<void> {
  await assertUnblocked(db, payment);
  await assertUnblocked(db, refund);
}

/** Returns why it is not certain that the money of a partial return is in the user's BRL account. Null if it is certain. */
async function whyNotHere(
  { db, provider }: { db: Db; provider: Provider },
  { id, userId, amountBrlMinor }: Payment,
  { movementRef, attempt, amountBrlMinor: partMinor }: Refund,
  payout: (PayoutSnapshot & { others?: PayoutSnapshot[] }) | null,
): Promise<string | null> {
  if (payout === null) return 'the provider does not find the payout';
  if (payout.others !== undefined) return 'the provider has several payouts under the handle';
  if (payout.status !== 'completed') return `the payout is ${payout.status} at the provider`;
  if (payout.amountMinor !== amountBrlMinor || payout.currency !== 'BRL')
    return 'the payout has another amount';
  const named = payout.refunds.find((one) => one.movementRef === movementRef);
  if (named?.amountMinor !== partMinor) return 'the payout does not name the movement any more';
  const used = await listOtherReturnCredits(db, { id, userId });
  if (used.some(({ creditRef }) => creditRef === movementRef)) return 'another return used the movement';
  const accountRef = (await accountRefs(db, userId)).of('BRL');
  const movement = await provider.getMovement(accountRef, movementRef);
  if (!isCreditOf(movement, payout, partMinor)) return 'the movement is not a credit of the payout';
  const { balanceMinor } = await provider.getAccount(accountRef);
  if (balanceMinor >= partMinor) return null;
  // After a restored backup, a conversion that has no row here may have taken the BRL already. The effect finds it by the same handle.
  const next = conversionHandle({ movementRef, attempt: attempt + 1 });
  const isThere = (await provider.findTransfer(next)) !== null;
  return isThere ? null : 'the BRL account holds less than the partial return';
}

/** A movement may name its payout by our handle, by the provider's uuid, or not at all. It must not name another one. */
function isCreditOf(
  { direction, purpose, currency, amountMinor, sourceReference }: Movement,
  { handle, providerRef }: PayoutSnapshot,
  partMinor: number,
): boolean {
  const isCredit = direction === 'credit' && purpose === 'payout_refund' && currency === 'BRL';
  const names = [handle.toLowerCase(), providerRef.toLowerCase()];
  const namesAnother = isUuid(sourceReference) && !names.includes(sourceReference.toLowerCase());
  return isCredit && amountMinor === partMinor && !namesAnother;
}

/** @throws OpsFailure if the provider gives no price. */
async function quoteFor(
  provider: Provider,
  { amountBrlMinor: sourceAmountMinor, homeCurrency: destinationCurrency }: Refund,
): Promise<ProviderQuote> {
  try {
    return await provider.createQuote({ sourceCurrency: 'BRL', destinationCurrency, sourceAmountMinor });
  } catch (error) {
    if (error instanceof ProviderRefusal) throw blocked('the provider gives no price for the amount');
    throw error;
  }
}

const changedMeanwhile = (id: string): OpsFailure =>
  new OpsFailure(`The payment changed meanwhile. See: npm run ops -- show ${id}`);

/** Commits the conversion with its quote, if nothing has changed since. Lock order: user, payment, then partial return. */
function convert(
  call: CommandCall,
  payment: Payment,
  refund: Refund,
  quote: ProviderQuote,
): Promise<ActionResult> {
  const { id, userId, homeCurrency, amountBrlMinor } = refund;
  const now = call.app.clock.now();
  return transaction(call.app, async (tx) => {
    await lockUserRow(tx, { userId });
    const paid = await lockRow(tx, pixPayment, payment);
    const row = await lockRow(tx, payoutRefund, refund);
    if (paid?.seq !== payment.seq || row?.seq !== refund.seq) throw changedMeanwhile(payment.id);
    await assertBothUnblocked(tx, paid, row);
    const quoted = {
      providerQuoteId: quote.providerRef,
      quotedHomeMinor: quote.destinationAmountMinor,
      quoteLifeMs: Math.min(quote.lifeMs, LONGEST_QUOTE_LIFE_MS),
      quotedAt: (await DatabaseTime.read(tx)).toDate(),
    };
    await setRefundQuote(tx, { id, userId, ...quoted });
    const cause = { kind: 'operator', id: call.operator } as const;
    const event = { type: 'conversion.requested' } as const;
    if ((await advance(tx, payoutRefund, { ...row, ...quoted }, event, cause, now)) === null)
      throw changedMeanwhile(payment.id);
    await auditPart(tx, call, row);
    return changed(
      `${amount(amountBrlMinor, 'BRL')} is converted to ${amount(quote.destinationAmountMinor, homeCurrency)}. See: npm run ops -- show ${payment.id}`,
    );
  });
}

/** Ends a partial return whose payment came back whole: its BRL is part of what operators settle with the user. */
function settleWithPayment(call: CommandCall, refund: Refund): Promise<ActionResult> {
  const { paymentId } = refund;
  return transaction(call.app, async (tx) => {
    const row = await lockRow(tx, payoutRefund, refund);
    const cause = { kind: 'operator', id: call.operator } as const;
    const event = { type: 'payout.refunded' } as const;
    const ended = row && (await advance(tx, payoutRefund, row, event, cause, call.app.clock.now()));
    if (!ended) throw changedMeanwhile(paymentId);
    await auditPart(tx, call, ended);
    return changed(
      'The payout has come back whole since, so this part is settled with the payment. No money was moved.',
    );
  });
}

const auditPart = (tx: Db, call: CommandCall, { paymentId, userId, movementRef }: Refund): Promise<void> =>
  audit(tx, call, {
    target: paymentId,
    userId,
    action: 'payments return --partial',
    reason: `the part ${movementRef}: ${call.reason}`,
  });

// Adopts a payment whose row was lost. It rebuilds the price, the recipient if there was a payout, every state that the money
// reached, and the customer's transaction. It cannot rebuild the recipient without a payout, the spread, expiry
// and USDC amount of a quote that was lost as well, or the time of confirmation: the time of the provider's last change replaces it.
import type { HomeCurrency } from '../../src/domain/currency.ts';
import { newId, paymentIdOf } from '../../src/domain/ids.ts';
import { QUOTE_LOCK_MS } from '../../src/domain/quote-life.ts';
import { advance } from '../../src/lifecycle/advance.ts';
import { pixPayment } from '../../src/lifecycle/pix-payment.ts';
import { type EnqueuingTx, transaction } from '../../src/outbox/hand-off.ts';
import { beginPixPayment, confirmPixPayment } from '../../src/payments/confirm.ts';
import { keepPixQuote } from '../../src/payments/create-quote.ts';
import type { PayoutDetails, Provider } from '../../src/provider/port.ts';
import { contradictedState, recordDiscrepancy } from '../../src/reports/discrepancies.ts';
import { encryptionContexts } from '../../src/security/encryption-contexts.ts';
import type { Sealer } from '../../src/security/sealer.ts';
import type { Db } from '../../src/tables/orm.ts';
import { findPixQuote, listUnusedQuotes } from '../../src/tables/pix-quotes/statements.ts';
import { findAccountByRef } from '../../src/tables/provider-accounts/statements.ts';
import type { Entity } from '../../src/tables/rows.ts';
import { insertTransaction } from '../../src/tables/transactions/statements.ts';
import type { Cause } from '../../src/tables/transitions/entity.ts';
import { legs, type PaymentParts, partsOf } from './group-orphans.ts';
import type { Adopted, Orphan, RecoveryServices } from './orphan.ts';
import { type Plan, planOf, type Rebuilt } from './plan.ts';
import { claim, NotAdoptable, writeResources } from './write.ts';

/** A lifecycle that emits no effects, because the objects of the payment already exist at the provider. */
const takenOver: typeof pixPayment = { ...pixPayment, emitsNothing: true };

type PlanOf<How extends Plan['how']> = Extract<Plan, { how: How }>;
type Taking = { userId: string; id: string; parts: PaymentParts; at: Date; cause: Cause };
type TakingPayment = Taking & { recipient: Awaited<ReturnType<typeof sealRecipient>> };

export async function adoptPayment(
  services: RecoveryServices,
  orphan: Orphan,
  cause: Cause,
): Promise<Adopted> {
  const { userId, id: ownId } = orphan.match;
  if (userId === null) throw new NotAdoptable(orphan.match.why ?? 'its user is unknown');
  // The objects may have changed since they were listed.
  const parts = await fetchParts(services.provider, orphan);
  const plan = planOf(parts, ownId !== null);
  if (plan.how === 'not') throw new NotAdoptable(plan.why);
  const taking = { userId, id: ownId ?? newId(), parts, at: orphan.at, cause };
  // Sealing may load a data key, so it runs before the database transaction.
  const recipient = await sealRecipient(services.sealer, taking);
  return transaction(services, async (tx) => {
    await claim(tx, userId, partsOf(parts));
    switch (plan.how) {
      case 'continue':
        return continueIt(services, tx, { ...taking, recipient }, plan);
      case 'replay':
        return replay(services, tx, { ...taking, recipient }, plan);
      case 'transaction':
        return writeTransaction(services, tx, taking, plan);
    }
  });
}

async function fetchParts(provider: Provider, { parts }: Orphan): Promise<PaymentParts> {
  const fetched: PaymentParts = {};
  for (const { kind, purpose, providerRef } of parts) {
    const leg = legs.find((one) => one === purpose);
    if (kind === 'payout') fetched.payout = { snapshot: await provider.getPayout(providerRef) };
    else if (leg) fetched[leg] = await provider.getTransferDetails(providerRef);
  }
  return fetched;
}

async function continueIt(
  { config }: RecoveryServices,
  tx: EnqueuingTx,
  taking: TakingPayment,
  { payment, becomes }: PlanOf<'continue'>,
): Promise<Adopted> {
  const { id, recipient, at, cause } = taking;
  const quote = await writeQuote(config, tx, taking, payment);
  await confirmPixPayment({ config }, tx, { id, quote, ...recipient }, cause, at);
  return { id, state: becomes, why: null };
}

async function replay(
  { sealer, clock, config }: RecoveryServices,
  tx: EnqueuingTx,
  taking: TakingPayment,
  { payment, events }: PlanOf<'replay'>,
): Promise<Adopted> {
  const { id, parts, recipient, at, cause } = taking;
  const quote = await writeQuote(config, tx, taking, payment);
  let row: Entity<'PixPayment'> = await beginPixPayment(
    { config },
    tx,
    { id, quote, ...recipient },
    takenOver,
    cause,
    at,
  );
  for (const event of events) {
    const next = await advance(tx, takenOver, row, event, cause, at);
    if (next === null) throw new Error(`the state ${row.state} refuses the planned event ${event.type}`);
    row = next;
  }
  await writeResources({ sealer, clock }, tx, subjectOf(taking), partsOf(parts));
  return { id: row.id, state: row.state, why: null };
}

/**
 * Writes only the customer's transaction. Unless leg 1 failed or its debit was restored in full, a discrepancy is also recorded for
 * operators.
 */
async function writeTransaction(
  { sealer, clock, config }: RecoveryServices,
  tx: Db,
  taking: Taking,
  { failure, first, becomes }: PlanOf<'transaction'>,
): Promise<Adopted> {
  const { userId, id, parts, at, cause } = taking;
  await insertTransaction(tx, {
    id,
    userId,
    type: 'payment',
    status: 'failed',
    sourceCurrency: await homeCurrencyOf(tx, first.snapshot.sourceAccountRef),
    sourceAmountMinor: first.snapshot.sourceAmountMinor,
    destCurrency: null,
    destAmountMinor: null,
    fxRate: null,
    provider: config.provider.name,
    providerRef: null,
    sourceReferenceSealed: null,
    failure,
    createdAt: at,
    completedAt: null,
  });
  const subject = subjectOf(taking);
  await writeResources({ sealer, clock }, tx, subject, partsOf(parts));
  if (failure === 'under_review') {
    const { handle, sourceAmountMinor, destinationAmountMinor } = first.snapshot;
    const resource = { ...subject, handle: handle.toLowerCase() };
    const event = { type: 'leg1.completed', sourceAmountMinor, destinationAmountMinor };
    const lost = contradictedState(event, 'lost', first.snapshot);
    await recordDiscrepancy(tx, resource, lost, cause, clock.now());
  }
  return {
    id,
    state: becomes,
    why: 'the amount for the merchant is lost, so only the transaction was created',
  };
}

const subjectOf = ({ userId, id }: Taking) => ({
  userId,
  subjectKind: 'pix_payment' as const,
  subjectId: id,
});

async function writeQuote(
  config: RecoveryServices['config'],
  tx: Db,
  { userId, id: paymentId, parts, at }: Taking,
  payment: Rebuilt,
): Promise<Entity<'PixQuote'>> {
  const unused = await listUnusedQuotes(tx, { userIds: [userId] });
  const own = unused.find((quote) => paymentIdOf(quote.id) === paymentId);
  const first = parts.direct ?? parts.leg1;
  const id =
    own?.id ??
    (await keepPixQuote(tx, {
      userId,
      flow: payment.flow,
      amountBrlMinor: payment.amountBrlMinor,
      sourceCurrency: await homeCurrencyOf(tx, first?.snapshot.sourceAccountRef ?? ''),
      sourceAmountMinor: payment.sourceAmountMinor,
      usdcQuotedMinor: null,
      rate: payment.rate,
      serviceSpreadBps: config.serviceSpreadBps,
      providerQuoteId: payment.quoteRef,
      providerLifeMs: QUOTE_LOCK_MS,
      expiresAt: at,
      createdAt: at,
    }));
  const quote = await findPixQuote(tx, { userId, id });
  if (!quote) throw new Error("the payment's quote is missing");
  return quote;
}

async function homeCurrencyOf(tx: Db, accountRef: string): Promise<HomeCurrency> {
  const account = await findAccountByRef(tx, { accountRef });
  if (!account) throw new Error("the payment's source account is missing");
  const { currency } = account;
  if (currency !== 'GBP' && currency !== 'EUR')
    throw new NotAdoptable('the debited account is not a home account');
  return currency;
}

/** Without a payout the recipient is unknown, and an empty PIX key is sealed. */
async function sealRecipient(sealer: Sealer, { userId, id, parts }: Taking) {
  const { pixKey, pixKeyType, recipientName } = recipientOf(parts.payout);
  return {
    pixKeyType,
    lookupId: null,
    codeId: null,
    sealed: {
      pixKeySealed: await sealer.seal(encryptionContexts.pixKey(userId, id), pixKey),
      pixKeyHash: pixKey === '' ? null : sealer.search.hashOf('pix-key', pixKey),
      recipientNameSealed:
        recipientName === null
          ? null
          : await sealer.seal(encryptionContexts.recipientName(userId, id), recipientName),
    },
  };
}

const recipientOf = (payout: PayoutDetails | undefined) =>
  payout?.snapshot.destination.rail === 'PIX'
    ? payout.snapshot.destination
    : ({ pixKey: '', pixKeyType: 'evp', recipientName: null } as const);

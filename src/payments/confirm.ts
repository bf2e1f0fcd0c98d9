// POST /pix/payments: confirms a quote. A payment answered with 2xx is committed and will reach a final state.

import { statusOf } from '../../machines/step.ts';
import type { ErrorDetail } from '../../openapi/generated/openapi.ts';
import { created, type Handler, type OperationRequest, ok, type Reply } from '../api/operation.ts';
import { handleFor } from '../domain/handles.ts';
import { madeAt, parseQuoteId, paymentIdOf, transactionIdOf } from '../domain/ids.ts';
import type { Log } from '../domain/log.ts';
import type { PayoutFailure } from '../domain/payout-failures.ts';
import { canonicalPixKey, type PixKeyType } from '../domain/pix-key.ts';
import { canonicalName } from '../domain/plain-text.ts';
import { isExpired, livesTooLong } from '../domain/quote-life.ts';
import { invalidPixKey, Refusal } from '../domain/refusals.ts';
import { required } from '../domain/required.ts';
import { activeAccount } from '../ledger/active-accounts.ts';
import { reserve } from '../ledger/reserve.ts';
import { begin } from '../lifecycle/advance.ts';
import { pixPayment } from '../lifecycle/pix-payment.ts';
import type { EnqueuingTx, GroupCommitting } from '../outbox/hand-off.ts';
import type { Overload } from '../outbox/overload.ts';
import { DatabaseTime } from '../platform/database/database-time.ts';
import { onOneConnection } from '../platform/database/db-transaction.ts';
import type { PayoutChecks } from '../provider/check-payout.ts';
import { notSent } from '../provider/errors.ts';
import type { Provider } from '../provider/port.ts';
import { quoteLifetime, recordDiscrepancy } from '../reports/discrepancies.ts';
import { encryptionContexts } from '../security/encryption-contexts.ts';
import type { Sealer } from '../security/sealer.ts';
import type { Db } from '../tables/orm.ts';
import { setCodeUsed } from '../tables/pix-codes/statements.ts';
import { setLookupUsed } from '../tables/pix-lookups/statements.ts';
import { countUnderway, findPixPaymentOfQuote } from '../tables/pix-payments/statements.ts';
import { findPixQuote, mayQuoteBeDeleted } from '../tables/pix-quotes/statements.ts';
import { listAccounts } from '../tables/provider-accounts/statements.ts';
import type { Entity } from '../tables/rows.ts';
import { insertTransaction } from '../tables/transactions/statements.ts';
import type { Cause } from '../tables/transitions/entity.ts';
import { claimCharge } from './claim-charge.ts';
import { nameInLookup } from './look-up-recipient.ts';
import { shownPayoutFailure } from './present.ts';
import { codeToPay } from './read-code.ts';

type Accepted = Reply<'createPixPayment'>;
type Recipient = { pixKey: string; pixKeyType: PixKeyType; name: string | null };

type Services = GroupCommitting & {
  overload: Overload;
  payoutChecks: PayoutChecks;
  provider: Provider<'interactive'>;
  sealer: Sealer;
  config: { provider: { name: string }; codeExpiresSoonMs: number };
  log: Log;
};

export const createPixPayment: Handler<'createPixPayment', Services> = async (request, services) => {
  const reply = await confirm(request, services);
  const { requestId } = request;
  const { pixPaymentId, transactionId } = reply.body;
  // These ids lead to the payment's effects, their handles, and the callbacks about them.
  const ids = { requestId, subjectId: pixPaymentId, transactionId };
  if (reply.status === 201)
    services.log.info({ code: 'payment.confirmed', ...ids }, 'the payment was accepted');
  else services.log.info({ code: 'payment.repeated', ...ids }, 'the confirmation was a repetition');
  return reply;
};

const confirm: Handler<'createPixPayment', Services> = async ({ user, body, requestId }, services) => {
  const recipient = recipientIn(body);
  const lookupId = body.lookupId?.toLowerCase() ?? null;
  const codeId = body.codeId?.toLowerCase() ?? null;
  const quoteId = parseQuoteId(body.quoteId);
  if (quoteId === null) throw new Refusal('not_found');
  const [readAt, quote, paid, accounts] = await onOneConnection(services.db, (connection) => [
    DatabaseTime.read(connection),
    findPixQuote(connection, { userId: user.id, id: quoteId }),
    findPixPaymentOfQuote(connection, { userId: user.id, quoteId }),
    listAccounts(connection, { userId: user.id }),
  ]);
  if (!quote) throw new Refusal((await isDeletedQuote(services.db, quoteId)) ? 'quote_expired' : 'not_found');

  const before = await replay(services.sealer, quote, paid, recipient);
  if (before) return before;
  assertUnexpired(quote, readAt.toDate());
  const lookup = lookupId && { id: lookupId, userId: user.id };
  const code = codeId && { id: codeId, userId: user.id };
  const { name, chargeRef } = await whoIsPaid(services, { lookup, code }, recipient, quote, readAt.toDate());
  const owned = { userId: user.id, accounts };
  const usdc = quote.flow === 'two_hop' ? (['USDC'] as const) : [];
  const homeAccountRef = await activeAccount(services.db, owned, [quote.sourceCurrency, 'BRL', ...usdc]);
  if (await services.overload.areConversionsHeldUp())
    throw notSent('createInternalTransfer', 'conversions do not get through at the moment');
  await services.overload.assertAccepts(() => countUnfinished(services.db, user.id));

  const id = paymentIdOf(quoteId);
  const sealed = {
    pixKeySealed: await services.sealer.seal(encryptionContexts.pixKey(user.id, id), recipient.pixKey),
    pixKeyHash: services.sealer.search.hashOf('pix-key', recipient.pixKey),
    recipientNameSealed:
      name === null ? null : await services.sealer.seal(encryptionContexts.recipientName(user.id, id), name),
  };
  const { pixKey, pixKeyType } = recipient;
  const payoutCheck = services.payoutChecks.check(services.provider, {
    sourceAccountRef: required(brlAccountRefIn(accounts), 'the BRL account'),
    amountMinor: quote.amountBrlMinor,
    currency: 'BRL',
    destination: { rail: 'PIX', pixKey, pixKeyType, recipientName: name },
  });
  return reserve<Accepted>(
    services,
    user,
    { amountMinor: quote.sourceAmountMinor, homeAccountRef },
    {
      check: payoutCheck,
      replay: async (tx) =>
        replay(
          services.sealer,
          quote,
          await findPixPaymentOfQuote(tx, { userId: user.id, quoteId }),
          recipient,
        ),
      commit: async (tx, now) => {
        assertUnexpired(quote, now);
        assertAllowed(await payoutCheck);
        const cause = { kind: 'request', id: requestId } as const;
        if (lookup) await setLookupUsed(tx, { ...lookup, usedAt: now });
        if (code) await setCodeUsed(tx, { ...code, usedAt: now });
        if (chargeRef !== null) await claimCharge(tx, { chargeRef, userId: user.id, paymentId: id });
        const payment = { id, quote, pixKeyType: recipient.pixKeyType, sealed, lookupId, codeId };
        const { transactionId } = await confirmPixPayment(services, tx, payment, cause, now);
        return created({ transactionId, pixPaymentId: id, status: 'converting' });
      },
    },
  );
};

const countUnfinished = async (db: Db, userId: string): Promise<number> =>
  (await countUnderway(db, { userId }))?.count ?? 0;

function recipientIn({
  pixKey,
  pixKeyType,
  recipientName,
}: OperationRequest<'createPixPayment'>['body']): Recipient {
  const canonical = canonicalPixKey(pixKeyType, pixKey);
  const name = recipientName === undefined ? null : canonicalName(recipientName);
  const details: ErrorDetail[] = [];
  if (canonical === null) details.push(invalidPixKey(pixKeyType));
  if (recipientName !== undefined && name === null)
    details.push({
      path: '/body/recipientName',
      message: 'must have visible characters and no hidden ones',
      code: 'invalid_name',
    });
  if (canonical === null || details.length > 0) throw new Refusal('invalid_request', details);
  return { pixKey: canonical, pixKeyType, name };
}

type Id = { id: string; userId: string };

/**
 * Returns the name that the user saw, and the charge that the payment pays. Null if there is none.
 * @throws Refusal if the look-up or the code does not fit the payment.
 */
async function whoIsPaid(
  services: Services,
  { lookup, code }: { lookup: Id | '' | null; code: Id | '' | null },
  { name, ...key }: Recipient,
  { amountBrlMinor }: Entity<'PixQuote'>,
  now: Date,
): Promise<{ name: string | null; chargeRef: string | null }> {
  const lookedUp = lookup ? { name: await nameInLookup(services, lookup, key, now) } : {};
  const { codeExpiresSoonMs } = services.config;
  const read = code
    ? await codeToPay(services, code, { ...key, amountBrlMinor }, codeExpiresSoonMs, now)
    : {};
  return { name, chargeRef: null, ...lookedUp, ...read };
}

/**
 * Returns the reply to a repeated confirmation, or null if the quote has no payment. The same recipient
 * makes it a repetition, at any time.
 * @throws Refusal `quote_already_used` for another recipient
 */
async function replay(
  sealer: Sealer,
  quote: Entity<'PixQuote'>,
  payment: Entity<'PixPayment'> | undefined,
  recipient: Recipient,
): Promise<Accepted | null> {
  if (!payment) return null;
  const pixKey = await sealer.open(encryptionContexts.pixKey(quote.userId, payment.id), payment.pixKeySealed);
  // Recovery has adopted a payment without a payout, which alone names the recipient.
  const isUnknown = pixKey === '';
  if (!isUnknown && (pixKey !== recipient.pixKey || payment.pixKeyType !== recipient.pixKeyType))
    throw new Refusal('quote_already_used');
  return ok({
    transactionId: payment.transactionId,
    pixPaymentId: payment.id,
    status: statusOf(payment.state),
  });
}

/**
 * Returns whether a quote that was not found may have been deleted. Unused quotes are deleted some time after they expire; the id
 * shows when the quote was created.
 */
async function isDeletedQuote(db: Db, quoteId: string): Promise<boolean> {
  const createdAt = madeAt(quoteId);
  return createdAt !== null && (await mayQuoteBeDeleted(db, { createdAt }))?.isOld === true;
}

/**
 * Asserts that a quote has not expired.
 * @param now the database's clock, which also set the quote's end: another process may have stored it.
 */
function assertUnexpired(quote: Entity<'PixQuote'>, now: Date): void {
  if (isExpired(quote.expiresAt, now)) throw new Refusal('quote_expired');
}

const brlAccountRefIn = (accounts: Awaited<ReturnType<typeof listAccounts>>): string | undefined =>
  accounts.find(({ currency }) => currency === 'BRL')?.providerAccountId ?? undefined;

/**
 * Asserts that no limit would stop the payout.
 * @throws Refusal `payout_not_allowed`
 */
function assertAllowed(failure: PayoutFailure | null): void {
  if (failure !== null)
    throw new Refusal('payout_not_allowed', undefined, { payoutFailure: shownPayoutFailure(failure) });
}

export type ConfirmedPayment = {
  id: string;
  quote: Entity<'PixQuote'>;
  pixKeyType: PixKeyType;
  sealed: { pixKeySealed: Buffer; pixKeyHash: Buffer | null; recipientNameSealed: Buffer | null };
  /** The look-up that named the recipient. Null if there was none. */
  lookupId: string | null;
  /** The code that is paid. Null if there was none. */
  codeId: string | null;
};

/**
 * Writes a confirmed payment. The caller holds the user's lock, and has found the quote unused and
 * unexpired and the balance sufficient.
 * @param now the database's clock, which also set the quote's times.
 */
export async function confirmPixPayment(
  { config }: { config: { provider: { name: string } } },
  tx: EnqueuingTx,
  payment: ConfirmedPayment,
  cause: Cause,
  now: Date,
): Promise<{ transactionId: string }> {
  const row = await beginPixPayment({ config }, tx, payment, pixPayment, cause, now, { type: 'confirmed' });
  if (livesTooLong(payment.quote.providerLifeMs)) await recordLongLife(tx, payment.quote, row, cause);
  return { transactionId: row.transactionId };
}

async function recordLongLife(
  tx: Db,
  quote: Entity<'PixQuote'>,
  row: Entity<'PixPayment'>,
  cause: Cause,
): Promise<void> {
  const { id, userId, state, createdAt: now } = row;
  const handle = handleFor(id, quote.flow === 'direct' ? 'conversion-direct' : 'conversion-leg1');
  const resource = { userId, subjectKind: 'pix_payment', subjectId: id, handle } as const;
  const stated = { providerRef: quote.providerQuoteId, lifeMs: quote.providerLifeMs };
  await recordDiscrepancy(tx, resource, quoteLifetime(stated, state, now), cause, now);
}

/**
 * Writes a payment in its first state.
 * @param event is applied in the same commit. The transaction's status is `pending` either way.
 */
export async function beginPixPayment(
  { config }: { config: { provider: { name: string } } },
  tx: EnqueuingTx,
  { id, quote, pixKeyType, sealed, lookupId, codeId }: ConfirmedPayment,
  lifecycle: typeof pixPayment,
  cause: Cause,
  now: Date,
  event?: { type: 'confirmed' },
): Promise<Entity<'PixPayment'>> {
  const transactionId = transactionIdOf(id);
  const customersView = insertTransaction(tx, {
    id: transactionId,
    userId: quote.userId,
    type: 'payment',
    status: 'pending',
    sourceCurrency: quote.sourceCurrency,
    sourceAmountMinor: quote.sourceAmountMinor,
    destCurrency: 'BRL',
    destAmountMinor: quote.amountBrlMinor,
    fxRate: quote.rate,
    provider: config.provider.name,
    providerRef: null,
    sourceReferenceSealed: null,
    failure: null,
    createdAt: now,
    completedAt: null,
  });
  const row = {
    id,
    userId: quote.userId,
    transactionId,
    quoteId: quote.id,
    flow: quote.flow,
    amountBrlMinor: quote.amountBrlMinor,
    sourceCurrency: quote.sourceCurrency,
    sourceAmountMinor: quote.sourceAmountMinor,
    usdcQuotedMinor: quote.usdcQuotedMinor,
    exchangeRate: quote.rate,
    pixKeyType,
    ...sealed,
    lookupId,
    codeId,
    ...WRITTEN_LATER,
    expiresAt: quote.expiresAt,
    createdAt: now,
  };
  const input = {
    flow: quote.flow,
    quotedSourceMinor: quote.sourceAmountMinor,
    amountBrlMinor: quote.amountBrlMinor,
  };
  const [, begun] = await Promise.all([customersView, begin(tx, lifecycle, row, input, cause, now, event)]);
  return begun;
}

/** The columns that later transitions and operators write. */
const WRITTEN_LATER = {
  recipientId: null,
  homeDebitMinor: null,
  usdcDeliveredMinor: null,
  usdcResidualMinor: null,
  brlResidualMinor: null,
  returnCapBps: null,
  returnCreditRef: null,
  returnCreditProposedBy: null,
  returnCreditConfirmedBy: null,
  payoutAttempt: 0,
  endToEndId: null,
  voucherId: null,
  failure: null,
  payoutFailureCode: null,
  payoutFailureLimit: null,
  payoutRetryFrom: null,
  returnedBrlMinor: null,
  contestationStatus: null,
  acknowledgedSeq: null,
  acknowledgedAt: null,
  acknowledgement: null,
  settlementAmountMinor: null,
  settlementCurrency: null,
  settlementReference: null,
  settlementProposedBy: null,
  settlementConfirmedBy: null,
  settledAt: null,
} as const;

// POST /pix/payments: confirms a quote. A payment answered with 2xx is committed and will reach a final state.

import { statusOf } from '../../machines/step.ts';
import { created, type Handler, type OperationRequest, ok, type Reply } from '../api/operation.ts';
import { madeAt, newId, parseQuoteId } from '../domain/ids.ts';
import { canonicalPixKey } from '../domain/pix-key.ts';
import { invalid, Refusal } from '../domain/refusals.ts';
import { activeAccounts } from '../ledger/active-accounts.ts';
import { reserve } from '../ledger/reserve.ts';
import type { GroupCommitting } from '../outbox/hand-off.ts';
import type { Overload } from '../outbox/overload.ts';
import type { Config } from '../platform/config/config.ts';
import { onOneConnection } from '../platform/database/db-transaction.ts';
import type { Db } from '../platform/database/orm.ts';
import type { Entity } from '../platform/entities/rows.ts';
import type { Log } from '../platform/logging/log.ts';
import { encryptionContexts } from '../platform/sealing/encryption-contexts.ts';
import type { Sealer } from '../platform/sealing/sealer.ts';
import { countUnderway, findPixPaymentOfQuote } from '../platform/sql/pix-payments.ts';
import { findPixQuoteNow, mayQuoteBeDeleted } from '../platform/sql/pix-quotes.ts';
import { listAccounts } from '../platform/sql/provider-accounts.ts';
import type { Provider } from '../provider/port.ts';
import { confirmPixPayment } from './confirm.ts';

type Accepted = Reply<'createPixPayment'>;
type Recipient = {
  pixKey: string;
  pixKeyType: OperationRequest<'createPixPayment'>['body']['pixKeyType'];
  name: string | null;
};

type Services = GroupCommitting & {
  overload: Overload;
  provider: Provider;
  sealer: Sealer;
  config: Config;
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
  const quoteId = parseQuoteId(body.quoteId);
  if (quoteId === null) throw new Refusal('not_found');
  const [quote, paid, accounts] = await onOneConnection(services.db, (connection) => [
    findPixQuoteNow(connection, { userId: user.id, id: quoteId }),
    findPixPaymentOfQuote(connection, { userId: user.id, quoteId }),
    listAccounts(connection, { userId: user.id }),
  ]);
  if (!quote) throw new Refusal((await isDeletedQuote(services.db, quoteId)) ? 'quote_expired' : 'not_found');

  const before = await replay(services.sealer, quote, paid, recipient);
  if (before) return before;
  assertUnexpired(quote, quote.readAt);
  const homeAccountRef = activeAccounts(accounts, quote);
  await services.overload.assertAccepts(() => countUnfinished(services.db, user.id));

  const id = newId();
  const sealed = {
    pixKeySealed: await services.sealer.seal(encryptionContexts.pixKey(user.id, id), recipient.pixKey),
    recipientNameSealed:
      recipient.name === null
        ? null
        : await services.sealer.seal(encryptionContexts.recipientName(user.id, id), recipient.name),
  };
  return reserve<Accepted>(
    services,
    user,
    { amountMinor: quote.sourceAmountMinor, homeAccountRef },
    {
      replay: async (tx) =>
        replay(
          services.sealer,
          quote,
          await findPixPaymentOfQuote(tx, { userId: user.id, quoteId }),
          recipient,
        ),
      commit: async (tx, now) => {
        assertUnexpired(quote, now);
        const cause = { kind: 'request', id: requestId } as const;
        const payment = { id, quote, pixKeyType: recipient.pixKeyType, sealed };
        const { transactionId } = await confirmPixPayment(services, tx, payment, cause, now);
        return created({ transactionId, pixPaymentId: id, status: 'converting' });
      },
    },
  );
};

const countUnfinished = async (db: Db, userId: string): Promise<number> =>
  (await countUnderway(db, { userId }))?.many ?? 0;

function recipientIn({
  pixKey,
  pixKeyType,
  recipientName,
}: OperationRequest<'createPixPayment'>['body']): Recipient {
  const canonical = canonicalPixKey(pixKeyType, pixKey);
  if (canonical === null) throw invalid('/body/pixKey', `is not a valid PIX key of type ${pixKeyType}`);
  return { pixKey: canonical, pixKeyType, name: recipientName ?? null };
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
  if (pixKey !== recipient.pixKey || payment.pixKeyType !== recipient.pixKeyType)
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
  if (now >= quote.expiresAt) throw new Refusal('quote_expired');
}

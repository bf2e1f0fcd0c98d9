// POST /pix/quote: returns the price of an amount in reais in the user's own currency, locked for a minute.
import { type Handler, ok } from '../api/operation.ts';
import { newId } from '../domain/ids.ts';
import { brlMinorFromNumber } from '../domain/money.ts';
import { lockMs } from '../domain/quote-life.ts';
import { invalid, Refusal } from '../domain/refusals.ts';
import { DatabaseTime } from '../platform/database/database-time.ts';
import { onOneConnection } from '../platform/database/db-transaction.ts';
import type { Provider } from '../provider/port.ts';
import type { Db } from '../tables/orm.ts';
import { insertPixQuote, insertReceivedQuote } from '../tables/pix-quotes/statements.ts';
import { findFreeBalance } from '../tables/provider-resources/statements.ts';
import type { Entity } from '../tables/rows.ts';
import { pixQuoteFrom } from './present.ts';
import { priceDirect } from './pricing/direct.ts';
import { priceTwoHop } from './pricing/two-hop.ts';

export const createPixQuote: Handler<
  'createPixQuote',
  {
    db: Db;
    provider: Provider<'interactive'>;
    config: { serviceSpreadBps: number; usdcAccountsEnabled: boolean };
  }
> = async ({ user, body }, { db, provider, config }) => {
  const amountBrlMinor = brlMinorFromNumber(body.amountBrl);
  if (amountBrlMinor === null)
    throw invalid('/body/amountBrl', 'must be positive, with at most two decimals', 'invalid_amount');
  const sourceCurrency = user.homeCurrency;
  if (sourceCurrency === null) throw new Refusal('home_currency_required');

  const { serviceSpreadBps, usdcAccountsEnabled } = config;
  const price = await (usdcAccountsEnabled ? priceTwoHop : priceDirect)(provider, {
    amountBrlMinor,
    sourceCurrency,
    serviceSpreadBps,
  });
  const { id, expiresAt, freeMinor } = await keepQuoteOfUser(db, {
    userId: user.id,
    flow: price.flow,
    amountBrlMinor,
    sourceCurrency,
    sourceAmountMinor: price.sourceAmountMinor,
    usdcQuotedMinor: price.usdcQuotedMinor,
    rate: price.rate,
    serviceSpreadBps,
    providerQuoteId: price.providerQuoteId,
    providerLifeMs: price.lifeMs,
  });
  const figures = { id, amountBrlMinor, sourceCurrency, serviceSpreadBps, expiresAt, ...price };
  const sufficientFunds = freeMinor === null ? null : freeMinor >= price.sourceAmountMinor;
  return ok({ ...pixQuoteFrom(figures), sufficientFunds });
};

/** A kept balance is recent for this long, if no known movement of money has invalidated it. */
const RECENT_MS = 600_000;

type NewQuote = Omit<Entity<'PixQuote'>, 'id'>;

/** A quote that was received just now; the database sets its times. */
type ReceivedQuote = Omit<NewQuote, 'createdAt' | 'expiresAt'>;

type KeptQuote = {
  id: string;
  /** The time until which the user may confirm the quote. */
  expiresAt: Date;
  /** What the user can spend: the last known balance minus what is reserved. Null if no recent balance is known. */
  freeMinor: number | null;
};

/**
 * Stores a quote unless its user has closed the account, and reads in the same round trip what the user can spend.
 * @throws Refusal `account_closed`
 */
async function keepQuoteOfUser(db: Db, quote: ReceivedQuote): Promise<KeptQuote> {
  const id = newId();
  const lockSeconds = lockMs(quote.providerLifeMs) / 1_000;
  const now = await DatabaseTime.read(db);
  const [kept, funds] = await onOneConnection(db, (connection) => [
    insertReceivedQuote(connection, { id, ...quote, now, lockSeconds }),
    findFreeBalance(connection, { userId: quote.userId, readSince: now.plus(-RECENT_MS) }),
  ]);
  if (!kept) throw new Refusal('account_closed');
  return { id, expiresAt: kept.expiresAt, freeMinor: funds?.freeMinor ?? null };
}

export async function keepPixQuote(db: Db, quote: NewQuote): Promise<string> {
  const id = newId();
  await insertPixQuote(db, { id, ...quote });
  return id;
}

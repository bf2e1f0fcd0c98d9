// Decides whether a user still has a payment in progress or a balance at the provider. Such a user must not be erased yet, and their
// account is not closed if the app asks for that.

import { handleFor } from '../domain/handles.ts';
import type { LookupResult, PayoutSnapshot, Provider, TransferSnapshot } from '../provider/port.ts';
import type { Db } from '../tables/orm.ts';
import { findUnconvertedRefund, listRefundsOfPayment } from '../tables/payout-refunds/statements.ts';
import { findOwing, listSettled, sumResidues } from '../tables/pix-payments/statements.ts';
import { listAccounts } from '../tables/provider-accounts/statements.ts';
import { findResource } from '../tables/provider-resources/statements.ts';
import type { Entity } from '../tables/rows.ts';
import { findUnresolvedTransaction } from '../tables/transactions/statements.ts';

type Services = { db: Db; provider: Provider };
type Account = Pick<Entity<'ProviderAccount'>, 'userId' | 'currency' | 'providerAccountId'>;

/**
 * Whether the user has unfinished payments or withdrawals, or a payment in `manual_review` that was neither settled nor restored. Failed
 * payouts that were never retried and partial returns that were not converted also count.
 */
export const isMoneyUnderWay = async (db: Db, userId: string): Promise<boolean> =>
  (await findUnresolvedTransaction(db, { userId })) !== undefined ||
  (await findOwing(db, { userId })) !== undefined ||
  (await findUnconvertedRefund(db, { userId })) !== undefined;

/**
 * Whether any of the user's accounts at the provider has money of the user.
 * @throws OutcomeUnknown if the provider does not answer. A 404 also counts as that: with a wrong company id the provider would answer
 *   404 for every account.
 */
export async function holdsMoney(services: Services, userId: string): Promise<boolean> {
  for (const account of await listAccounts(services.db, { userId }))
    if ((await moneyIn(services, account)) > 0) return true;
  return false;
}

/**
 * Returns the part of an account's balance that may belong to the user, in minor units. USDC and BRL that conversions left over, or that
 * a settled payment provably left in the account, belong to the service.
 * @throws OutcomeUnknown if the provider does not answer.
 */
export async function moneyIn(services: Services, account: Account): Promise<number> {
  const { userId, currency, providerAccountId: ref } = account;
  if (ref === null) return 0;
  const { balanceMinor } = await services.provider.getAccount(ref);
  if (balanceMinor === 0 || (currency !== 'USDC' && currency !== 'BRL')) return balanceMinor;
  const residues = await sumResidues(services.db, { userId });
  const residueMinor = (currency === 'USDC' ? residues?.usdcMinor : residues?.brlMinor) ?? 0;
  let usersMinor = balanceMinor - residueMinor;
  if (usersMinor <= 0) return 0;
  for (const payment of await listSettled(services.db, { userId }))
    usersMinor -= await leftBy(services, payment, account);
  return Math.max(0, usersMinor);
}

type SettledPayment = Pick<Entity<'PixPayment'>, 'id' | 'flow'>;

/** Returns the amount that fresh look-ups prove a settled payment to have left in its BRL or USDC account, in minor units. */
async function leftBy(
  { db, provider }: Services,
  { id, flow }: SettledPayment,
  { userId, currency, providerAccountId: ref }: Account,
): Promise<number> {
  if (currency === 'USDC' && flow === 'direct') return 0;
  const isUsdc = currency === 'USDC';
  const delivering = isUsdc ? 'conversion-leg1' : flow === 'direct' ? 'conversion-direct' : 'conversion-leg2';
  const delivery = await provider.findTransfer(handleFor(id, delivering));
  const isDelivered =
    delivery?.status === 'completed' &&
    delivery.others === undefined &&
    delivery.destinationAccountRef === ref;
  if (!isDelivered) return 0;
  let leftMinor = delivery.destinationAmountMinor;
  const takers = isUsdc
    ? (['conversion-leg2', 'conversion-reverse'] as const)
    : (['conversion-return', 'payout'] as const);
  for (const purpose of takers) {
    const handle = handleFor(id, purpose);
    const taker = await (purpose === 'payout' ? provider.findPayout(handle) : provider.findTransfer(handle));
    // An object that existed once and is not found now may have taken money.
    const isGone = taker === null && (await findResource(db, { handle, userId }))?.providerRef;
    leftMinor -= isGone ? Infinity : takenBy(taker);
  }
  return Math.max(0, leftMinor - (isUsdc ? 0 : await convertedOf(db, { paymentId: id, userId })));
}

/** Returns how much of a payment's BRL was converted as partial returns, in centavos. */
async function convertedOf(db: Db, payment: { paymentId: string; userId: string }): Promise<number> {
  const refunds = await listRefundsOfPayment(db, payment);
  const converted = refunds.filter(({ state }) => state === 'converting' || state === 'converted');
  return converted.reduce((sum, { amountBrlMinor }) => sum + amountBrlMinor, 0);
}

/** Returns what an object has taken from its source account, in minor units; infinity if it is not certain. */
function takenBy(taker: LookupResult<TransferSnapshot | PayoutSnapshot> | null): number {
  if (taker === null) return 0;
  if (taker.others !== undefined) return Infinity;
  if (taker.status === 'failed' || taker.status === 'refunded') return 0;
  return taker.kind === 'transfer' && taker.status === 'completed' ? taker.sourceAmountMinor : Infinity;
}

// Decides whether the BRL of a failed payout is back in the user's account. An operator's return converts it only then: otherwise it
// would take the BRL of another payment, or the merchant could be paid as well.

import { handleFor } from '../domain/handles.ts';
import { accountRefs } from '../ledger/account-refs.ts';
import { discrepancyKinds } from '../platform/database/entities/discrepancy.ts';
import type { Entity } from '../platform/database/entities/rows.ts';
import type { Db } from '../platform/database/orm.ts';
import { listAccounts } from '../platform/sql/provider-accounts.ts';
import { findResource } from '../platform/sql/provider-resources.ts';
import type { LookupResult, Movement, PayoutSnapshot, Provider } from '../provider/port.ts';
import { type DiscrepancyKind, hasOpenDiscrepancy } from '../reports/discrepancies.ts';
import { hasEverExisted } from '../reports/vanished.ts';

const PAGE_SIZE = 100;

type Payment = Pick<Entity<'PixPayment'>, 'id' | 'userId' | 'payoutAttempt' | 'amountBrlMinor'>;

/** `payout` is what the look-up found, for a caller that applies it. `why` is for operators. */
export type PayoutMoney =
  | { isBack: true }
  | { isBack: false; why: string; payout: LookupResult<PayoutSnapshot> | null };

/**
 * Looks up the payment's payout and the movements of the user's BRL account.
 * @returns that the money is back if the payout's present attempt has failed and a movement has credited it; or if the provider
 *   refused every creation, knows no payout, and has debited nothing for one.
 * @throws OutcomeUnknown if the provider gives no usable answer.
 */
export async function findPayoutMoney(
  { db, provider }: { db: Db; provider: Provider },
  payment: Payment,
): Promise<PayoutMoney> {
  const { id, userId, amountBrlMinor } = payment;
  const handle = handleFor(id, 'payout');
  const [resource, payout, accounts] = await Promise.all([
    findResource(db, { handle, userId }),
    provider.findPayout(handle),
    accountRefs(db, userId),
  ]);
  const notBack = (why: string): PayoutMoney => ({ isBack: false, why, payout });
  if (!resource) return notBack('the payment has no payout');
  const mismatch = payout === null ? whyAbsent(resource) : whyNotFailed(payment, resource, payout);
  if (mismatch !== null) return notBack(mismatch);

  const accountRef = accounts.of('BRL');
  const { balanceMinor } = await provider.getAccount(accountRef);
  if (balanceMinor < amountBrlMinor) return notBack('the BRL account holds less than the payment');
  const movements = await listPayoutMovements(provider, accountRef);
  if (!isCredited(movements, handle, amountBrlMinor, payout !== null))
    return notBack('no movement of the BRL account shows that the payout was credited back');
  return { isBack: true };
}

const whyAbsent = (resource: Entity<'ProviderResource'>): string | null =>
  hasEverExisted(resource) ? 'the provider no longer finds the payout' : null;

function whyNotFailed(
  { payoutAttempt, amountBrlMinor }: Payment,
  { providerRef }: Entity<'ProviderResource'>,
  { status, attempt, amountMinor, currency, others = [], ...payout }: LookupResult<PayoutSnapshot>,
): string | null {
  if (others.length > 0) return 'the provider has several payouts under the handle';
  if (payout.providerRef !== providerRef) return 'the provider has a payout that is not the one we follow';
  if (status !== 'failed') return `the payout is ${status} at the provider`;
  if (attempt !== payoutAttempt)
    return `the payout's attempt is ${attempt} at the provider, and ${payoutAttempt} here`;
  if (amountMinor !== amountBrlMinor || currency !== 'BRL') return 'the payout has another amount';
  return null;
}

/** Lists the debits and credits of payouts in an account, oldest first. */
async function listPayoutMovements(provider: Provider, accountRef: string): Promise<Movement[]> {
  const movements: Movement[] = [];
  for (let after: string | null = null; ; ) {
    const page = await provider.listMovements(accountRef, { after, limit: PAGE_SIZE });
    movements.push(
      ...page.items.filter(({ purpose }) => purpose === 'payout' || purpose === 'payout_refund'),
    );
    if (page.next === null || page.next === after) return movements;
    after = page.next;
  }
}

/**
 * Whether the account has all of the payout's money. A provider may name the payout's handle in its movements; then each debit under
 * it needs its credit. Movements without a name are compared by their amount.
 */
function isCredited(
  movements: Movement[],
  handle: string,
  amountMinor: number,
  payoutExists: boolean,
): boolean {
  const named = movements.filter(({ sourceReference }) => sourceReference?.toLowerCase() === handle);
  const own = named.length > 0 ? named : movements.filter((one) => isUnnamed(one, amountMinor));
  if (!payoutExists) return named.length === 0 || netOf(named) === 0;
  return own.at(-1)?.direction === 'credit' && (named.length === 0 || netOf(named) === 0);
}

const isUnnamed = ({ sourceReference, amountMinor: amount }: Movement, amountMinor: number): boolean =>
  sourceReference === null && amount === amountMinor;

const netOf = (movements: Movement[]): number =>
  movements.reduce(
    (sum, { direction, amountMinor }) => sum + (direction === 'credit' ? amountMinor : -amountMinor),
    0,
  );

/** Discrepancies of these kinds say nothing about where the payment's money is. */
const harmless: ReadonlySet<DiscrepancyKind> = new Set(['quote_lifetime']);

/** Whether the payment, or the user's BRL account, has an open discrepancy that could be about the BRL. */
export async function isMoneyDisputed(
  db: Db,
  { id, userId }: { id: string; userId: string },
): Promise<boolean> {
  const accounts = await listAccounts(db, { userId });
  const brl = accounts.find(({ currency }) => currency === 'BRL');
  const kinds = discrepancyKinds.filter((kind) => !harmless.has(kind));
  const subjects = [id, ...(brl ? [brl.id] : [])];
  const open = await Promise.all(
    subjects.map((subjectId) => hasOpenDiscrepancy(db, { id: subjectId, userId }, kinds)),
  );
  return open.includes(true);
}

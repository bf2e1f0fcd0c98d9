// Decides whether the BRL of a failed payout is back in the user's account. An operator's return converts it only then: otherwise it
// would take the BRL of another payment, or the merchant could be paid as well.

import { handleFor } from '../domain/handles.ts';
import { accountRefs } from '../ledger/account-refs.ts';
import type { LookupResult, Movement, PayoutSnapshot, Provider } from '../provider/port.ts';
import { type DiscrepancyKind, hasOpenDiscrepancy } from '../reports/discrepancies.ts';
import { hasEverExisted } from '../reports/vanished.ts';
import { discrepancyKinds } from '../tables/discrepancies/entity.ts';
import type { Db } from '../tables/orm.ts';
import { listRefundMovements } from '../tables/payout-refunds/statements.ts';
import { listOtherReturnCredits } from '../tables/pix-payments/statements.ts';
import { listAccounts } from '../tables/provider-accounts/statements.ts';
import { findResource, listPayoutsOfAmount } from '../tables/provider-resources/statements.ts';
import type { Entity } from '../tables/rows.ts';
import {
  type AccountPayout,
  accountPayout,
  addsUp,
  creditOf,
  describeMovements,
  isCreditedByName,
  isOf,
  whyNotCredit,
} from './payout-movements.ts';

const PAGE_SIZE = 100;

type Payment = Pick<Entity<'PixPayment'>, 'id' | 'userId' | 'payoutAttempt' | 'amountBrlMinor'>;

/**
 * `creditRef` is the movement that credited the payout, null if the provider never had it. `payout` is what the look-up found, for a
 * caller that applies it. `why` is for operators.
 */
export type PayoutMoney =
  | { isBack: true; creditRef: string | null }
  | { isBack: false; why: string; payout: LookupResult<PayoutSnapshot> | null };

/**
 * Looks up the payout and the movements of the user's BRL account.
 * @param creditRef the movement that operators name as the payout's credit. Null lets the movements alone decide.
 * @returns that the money is back if the payout's present attempt has failed and a movement has credited it; or if the provider
 *   refused every creation, knows no payout, and has debited nothing for one.
 * @throws OutcomeUnknown if the provider gives no usable answer.
 */
export async function findPayoutMoney(
  { db, provider }: { db: Db; provider: Provider },
  payment: Payment,
  creditRef: string | null,
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
  const own = accountPayout(handle, payout, amountBrlMinor);
  const parts = await partialReturns(db, userId, payout);
  const account = without(parts, await listPayoutMovements(provider, accountRef));
  const uncredited =
    creditRef === null
      ? await whyNotCredited({ db, provider }, payment, own, account)
      : whyNotCredit(own, amountBrlMinor, account.movements, creditRef);
  if (uncredited !== null) return notBack(uncredited);

  const used = new Set((await listOtherReturnCredits(db, { id, userId })).map((one) => one.creditRef));
  if (creditRef !== null)
    return used.has(creditRef)
      ? notBack(`the credit ${creditRef} was used for another return`)
      : { isBack: true, creditRef };
  if (payout === null) return { isBack: true, creditRef: null };
  const unused = ofAmount(account, amountBrlMinor).filter((one) => !used.has(one.providerRef.toLowerCase()));
  const credit = creditOf(own, unused);
  return credit === undefined
    ? notBack('each credit of the amount was used for another return')
    : { isBack: true, creditRef: credit.providerRef.toLowerCase() };
}

/** The debits and credits of payouts in an account, oldest first. */
type AccountMovements = {
  accountRef: string;
  movements: Movement[];
  /** The last movement of any kind, as the cursor of a later list. */
  end: string | null;
  isReadable: boolean;
};

/** Returns why the movements do not show that the payout was credited back. Null if they show it. */
async function whyNotCredited(
  { db, provider }: { db: Db; provider: Provider },
  { id, userId, amountBrlMinor }: Payment,
  own: AccountPayout,
  account: AccountMovements,
): Promise<string | null> {
  const named = account.movements.filter((one) => isOf(own, one));
  const movements = ofAmount(account, amountBrlMinor);
  const no = (why: string) =>
    `no movement of the BRL account shows that the payout was credited back: ${why}. Movements: ${describeMovements(movements)}`;
  if (named.some(({ amountMinor }) => amountMinor !== amountBrlMinor))
    return no('a movement of the payout has another amount');
  if (own.attempts === 0 && named.some(({ direction }) => direction === 'debit'))
    return no('the provider knows no payout, and has debited one');
  if (isCreditedByName(own, movements)) return null;

  if (!account.isReadable) return no('a movement of the account is unreadable');
  const payouts = [own];
  for (const other of await listPayoutsOfAmount(db, { userId, amountBrlMinor })) {
    if (other.paymentId === id) continue;
    const found = await provider.findPayout(other.handle);
    if (found === null && hasEverExisted(other))
      return no(`the provider no longer finds the payout of the payment ${other.paymentId}`);
    payouts.push(accountPayout(other.handle, found, amountBrlMinor));
  }
  // A payout that changed between the list and its look-up has moved money since.
  const later = await listPayoutMovements(provider, account.accountRef, account.end);
  if (later.movements.length > 0) return no('money of payouts moved meanwhile, so try again');
  if (addsUp(payouts, movements)) return null;
  const outstanding = payouts.reduce((sum, one) => sum + one.outstanding, 0);
  return no(`${payouts.length} payouts have this amount, of which ${outstanding} are pending or completed`);
}

/** Returns the movements of partial returns: those on record, and those that the payout itself names. */
async function partialReturns(
  db: Db,
  userId: string,
  payout: LookupResult<PayoutSnapshot> | null,
): Promise<ReadonlySet<string>> {
  const recorded = await listRefundMovements(db, { userId });
  const named = [payout, ...(payout?.others ?? [])].flatMap((one) => one?.refunds ?? []);
  return new Set([...recorded, ...named].map(({ movementRef }) => movementRef));
}

/** Leaves out the credits of partial returns. They belong to completed payouts, and say nothing about others. */
const without = (parts: ReadonlySet<string>, account: AccountMovements): AccountMovements => ({
  ...account,
  movements: account.movements.filter(({ providerRef }) => !parts.has(providerRef.toLowerCase())),
});

const ofAmount = ({ movements }: AccountMovements, amountBrlMinor: number): Movement[] =>
  movements.filter(({ amountMinor }) => amountMinor === amountBrlMinor);

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

async function listPayoutMovements(
  provider: Provider,
  accountRef: string,
  from: string | null = null,
): Promise<AccountMovements> {
  const movements: Movement[] = [];
  let isReadable = true;
  for (let after = from; ; ) {
    const page = await provider.listMovements(accountRef, { after, limit: PAGE_SIZE });
    movements.push(
      ...page.items.filter(
        ({ purpose, currency }) =>
          currency === 'BRL' && (purpose === 'payout' || purpose === 'payout_refund'),
      ),
    );
    isReadable &&= page.unreadable.length === 0;
    const end = page.refs.at(-1) ?? after;
    if (page.next === null || page.next === after) return { accountRef, movements, end, isReadable };
    after = page.next;
  }
}

/** Discrepancies of these kinds say nothing about where the payment's money is. */
const harmless: ReadonlySet<DiscrepancyKind> = new Set(['quote_lifetime']);

/** Returns whether the payment, or the user's BRL account, has an open discrepancy that could be about the BRL. */
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

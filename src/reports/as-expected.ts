// Checks that a reported object is the one that we requested, and its user's. A payout to another recipient or a conversion between
// other accounts is never applied, whatever its state. An identity, account or movement of one user must never count for another user,
// even if the provider's answer is wrong, so its user is recorded. Transfers and payouts need no such record: those of another user
// come from another account.
import type { ConversionLeg } from '../../machines/effects.ts';
import { type BankDetails, bankNumbersOf } from '../domain/bank-details.ts';
import { type Currency, minorPlaces } from '../domain/currency.ts';
import { type AccountRefs, accountRefsIn } from '../ledger/account-refs.ts';
import { currenciesOf } from '../lifecycle/legs.ts';
import { OutcomeUnknown } from '../provider/errors.ts';
import { eventOf } from '../provider/events.ts';
import type {
  AccountSnapshot,
  PayoutDestination,
  PayoutSnapshot,
  Snapshot,
  TransferSnapshot,
} from '../provider/port.ts';
import { encryptionContexts } from '../security/encryption-contexts.ts';
import type { Sealer } from '../security/sealer.ts';
import type { Db } from '../tables/orm.ts';
import { findRefundToConvert } from '../tables/payout-refunds/statements.ts';
import { findOrderedConversion, findPaymentToPayOut } from '../tables/pix-payments/statements.ts';
import { findAccountCurrency } from '../tables/provider-accounts/statements.ts';
import { findObjectUser, insertObjectUser } from '../tables/provider-object-users/statements.ts';
import type { Entity } from '../tables/rows.ts';
import { findWithdrawToPayOut } from '../tables/withdraws/statements.ts';

/** A property in which a report differs from the request. The payment's machine checks the amounts of conversions instead. */
export type Difference =
  | 'amount'
  | 'currency'
  | 'rail'
  | 'recipient'
  | 'source account'
  | 'destination account';

type SubjectRef = Pick<Entity<'ProviderResource'>, 'userId' | 'subjectKind' | 'subjectId' | 'leg'>;
type Services = { db: Db; sealer: Sealer };

/**
 * Compares a snapshot with what we requested. It runs before the transaction that applies the snapshot: a request never changes,
 * and opening the recipient may load a data key.
 * @returns an empty list while the snapshot is not final.
 */
export async function differencesFromOrder(
  services: Services,
  subject: SubjectRef,
  snapshot: Snapshot,
): Promise<Difference[]> {
  if (eventOf(snapshot) === null) return [];
  switch (snapshot.kind) {
    case 'transfer':
      return subject.leg === null ? [] : differencesOfTransfer(services, subject, subject.leg, snapshot);
    case 'payout':
      return differencesOfPayout(services, subject, snapshot);
    case 'account':
      return differencesOfAccount(services, subject, snapshot);
    case 'owner':
    case 'contestation':
      return [];
  }
}

async function differencesOfTransfer(
  { db }: Services,
  { userId, subjectId: id }: SubjectRef,
  leg: ConversionLeg,
  transfer: TransferSnapshot,
): Promise<Difference[]> {
  const ordered =
    leg === 'partial'
      ? await findRefundToConvert(db, { id, userId })
      : await findOrderedConversion(db, { id, userId });
  if (!ordered) return [];
  const accounts = accountRefsIn(ordered.refs);
  const home = 'homeCurrency' in ordered ? ordered.homeCurrency : ordered.sourceCurrency;
  const [source, destination] = currenciesOf(leg, home);
  return differing([
    ['source account', isAnother(accounts, source, transfer.sourceAccountRef)],
    ['destination account', isAnother(accounts, destination, transfer.destinationAccountRef)],
    [
      'currency',
      transfer.sourcePlaces !== minorPlaces[source] ||
        transfer.destinationPlaces !== minorPlaces[destination],
    ],
  ]);
}

type OrderedPayout = {
  amountMinor: number;
  currency: Currency;
  destination: PayoutDestination;
  accounts: AccountRefs;
};

async function differencesOfPayout(
  services: Services,
  subject: SubjectRef,
  payout: PayoutSnapshot,
): Promise<Difference[]> {
  const ordered = await (subject.subjectKind === 'withdraw' ? orderedByWithdraw : orderedByPayment)(
    services,
    subject,
  );
  if (ordered === null) return [];
  return differing([
    ['amount', payout.amountMinor !== ordered.amountMinor],
    ['currency', payout.currency !== ordered.currency],
    ['rail', payout.destination.rail !== ordered.destination.rail],
    ['recipient', numbersOf(payout.destination) !== numbersOf(ordered.destination)],
    ['source account', isAnother(ordered.accounts, ordered.currency, payout.sourceAccountRef)],
  ]);
}

async function orderedByPayment(
  { db, sealer }: Services,
  { userId, subjectId: id }: SubjectRef,
): Promise<OrderedPayout | null> {
  const payment = await findPaymentToPayOut(db, { id, userId });
  if (!payment) return null;
  const pixKey = await sealer.open(encryptionContexts.pixKey(userId, id), payment.pixKeySealed);
  return {
    amountMinor: payment.amountBrlMinor,
    currency: 'BRL',
    destination: { rail: 'PIX', pixKey, pixKeyType: payment.pixKeyType, recipientName: null },
    accounts: accountRefsIn(payment.refs),
  };
}

async function orderedByWithdraw(
  { db, sealer }: Services,
  { userId, subjectId: id }: SubjectRef,
): Promise<OrderedPayout | null> {
  const withdraw = await findWithdrawToPayOut(db, { id, userId });
  if (!withdraw) return null;
  const details = await sealer.open(
    encryptionContexts.withdrawDestination(userId, id),
    withdraw.destinationSealed,
  );
  return {
    amountMinor: withdraw.amountMinor,
    currency: withdraw.currency,
    destination: { rail: withdraw.rail, details: JSON.parse(details) as BankDetails },
    accounts: accountRefsIn(withdraw.refs),
  };
}

async function differencesOfAccount(
  { db }: Services,
  { userId, subjectId: id }: SubjectRef,
  account: AccountSnapshot,
): Promise<Difference[]> {
  const ordered = await findAccountCurrency(db, { id, userId });
  return differing([['currency', ordered !== undefined && ordered.currency !== account.currency]]);
}

const differing = (comparisons: [Difference, boolean][]): Difference[] =>
  comparisons.flatMap(([difference, isDifferent]) => (isDifferent ? [difference] : []));

/** Returns whether `ref` is not the user's account in this currency. False if the id of that account is not known yet. */
const isAnother = (accounts: AccountRefs, currency: Currency, ref: string): boolean => {
  const own = accounts.find(currency);
  return own !== null && own !== ref;
};

/** The numbers that route the payout. The recipient's name is excluded: a bank may report its own spelling of it. */
const numbersOf = (destination: PayoutDestination): string =>
  destination.rail === 'PIX'
    ? `${destination.pixKeyType} ${destination.pixKey}`
    : bankNumbersOf(destination.details);

/** Records that the object belongs to the user, unless it already belongs to one. Returns whether it belongs to this user. */
export async function isObjectOf(
  tx: Db,
  object: Omit<Entity<'ProviderObjectUser'>, 'paymentId'>,
): Promise<boolean> {
  if ((await insertObjectUser(tx, { ...object, paymentId: null })) === 1) return true;
  return (await findObjectUser(tx, object))?.userId === object.userId;
}

/**
 * Asserts that an identity or account belongs to the user. Called before its id is stored with a resource.
 * @throws OutcomeUnknown if it belongs to another user: nothing of the provider's answer may be written.
 */
export async function assertOwnObject(
  tx: Db,
  { kind, userId }: Pick<Entity<'ProviderResource'>, 'kind' | 'userId'>,
  providerRef: string,
): Promise<void> {
  if (kind !== 'owner' && kind !== 'account') return;
  if (!(await isObjectOf(tx, { providerRef, kind, userId })))
    throw new OutcomeUnknown(kind, 'the provider names an object of another user');
}

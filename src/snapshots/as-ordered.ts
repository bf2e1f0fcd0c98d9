// Holds what the provider reports against what was ordered under its handle. A payout to another recipient or a conversion
// between other accounts is not ours to apply, in whichever state it is.
import type { ConversionLeg } from '../../machines/effects.ts';
import type { App } from '../app.ts';
import { byEntity } from '../database/by-entity.ts';
import { statement } from '../database/statement.ts';
import { type BankDetails, bankNumbersOf } from '../domain/bank-details.ts';
import { type Currency, minorPlaces } from '../domain/currency.ts';
import type { Entity } from '../entities/rows.ts';
import { currenciesOf } from '../lifecycle/legs.ts';
import { eventOf } from '../provider/events.ts';
import type {
  AccountSnapshot,
  PayoutDestination,
  PayoutSnapshot,
  Snapshot,
  TransferSnapshot,
} from '../provider/port.ts';
import { type AccountRefs, accountRefsIn } from '../queries/account-refs.ts';
import { encryptionContexts } from '../sealing/encryption-contexts.ts';
import { refsByCurrency } from '../sql/provider-accounts.ts';

/** In what a report differs from its order. The amounts of a conversion are not here: the payment's machine judges them. */
export type Difference =
  | 'amount'
  | 'currency'
  | 'rail'
  | 'recipient'
  | 'source account'
  | 'destination account';

type Known = Pick<Entity<'ProviderResource'>, 'userId' | 'subjectKind' | 'subjectId' | 'leg'>;
type Services = Pick<App, 'db' | 'sealer'>;

/**
 * Read before the transaction that applies the snapshot: an order never changes, and opening a recipient may load a key.
 * @returns nothing while the snapshot reports no end that could be applied.
 */
export async function differencesFromOrder(
  app: Services,
  known: Known,
  snapshot: Snapshot,
): Promise<Difference[]> {
  if (eventOf(snapshot) === null) return [];
  switch (snapshot.kind) {
    case 'transfer':
      return known.leg === null ? [] : differencesOfTransfer(app, known, known.leg, snapshot);
    case 'payout':
      return differencesOfPayout(app, known, snapshot);
    case 'account':
      return differencesOfAccount(app, known, snapshot);
    case 'owner':
      return [];
  }
}

async function differencesOfTransfer(
  { db }: Services,
  { userId, subjectId: id }: Known,
  leg: ConversionLeg,
  transfer: TransferSnapshot,
): Promise<Difference[]> {
  const { rows } = await readConverted(db, { id, userId });
  const [payment] = rows;
  if (!payment) return [];
  const accounts = accountRefsIn(payment.refs);
  const [source, destination] = currenciesOf(leg, payment.sourceCurrency);
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

type OfUser = { id: string; userId: string };

const readConverted = statement((db, { id, userId }: OfUser) =>
  db
    .selectFrom('PixPayment')
    .select(['sourceCurrency', refsByCurrency(userId).as('refs')])
    .where('id', '=', id)
    .where('userId', '=', userId),
);

type OrderedPayout = {
  amountMinor: number;
  currency: Currency;
  destination: PayoutDestination;
  accounts: AccountRefs;
};

async function differencesOfPayout(
  app: Services,
  known: Known,
  payout: PayoutSnapshot,
): Promise<Difference[]> {
  const ordered = await (known.subjectKind === 'withdraw' ? orderedByWithdraw : orderedByPayment)(app, known);
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
  { userId, subjectId: id }: Known,
): Promise<OrderedPayout | null> {
  const { rows } = await readPaidOut(db, { id, userId });
  const [payment] = rows;
  if (!payment) return null;
  const pixKey = await sealer.open(encryptionContexts.pixKey(userId, id), payment.pixKeySealed);
  return {
    amountMinor: payment.amountBrlMinor,
    currency: 'BRL',
    destination: { rail: 'PIX', pixKey, pixKeyType: payment.pixKeyType, recipientName: null },
    accounts: accountRefsIn(payment.refs),
  };
}

const readPaidOut = statement((db, { id, userId }: OfUser) =>
  db
    .selectFrom('PixPayment')
    .select(['amountBrlMinor', 'pixKeyType', 'pixKeySealed', refsByCurrency(userId).as('refs')])
    .where('id', '=', id)
    .where('userId', '=', userId),
);

async function orderedByWithdraw(
  { db, sealer }: Services,
  { userId, subjectId: id }: Known,
): Promise<OrderedPayout | null> {
  const withdraw = await byEntity(db)
    .selectFrom('Withdraw')
    .select(['amountMinor', 'currency', 'rail', 'destinationSealed', refsByCurrency(userId).as('refs')])
    .where('id', '=', id)
    .where('userId', '=', userId)
    .executeTakeFirst();
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
  { userId, subjectId: id }: Known,
  account: AccountSnapshot,
): Promise<Difference[]> {
  const ordered = await byEntity(db)
    .selectFrom('ProviderAccount')
    .select('currency')
    .where('id', '=', id)
    .where('userId', '=', userId)
    .executeTakeFirst();
  return differing([['currency', ordered !== undefined && ordered.currency !== account.currency]]);
}

const differing = (comparisons: [Difference, boolean][]): Difference[] =>
  comparisons.flatMap(([difference, isDifferent]) => (isDifferent ? [difference] : []));

/** An account whose id is not known here can be no other. */
const isAnother = (accounts: AccountRefs, currency: Currency, ref: string): boolean => {
  const own = accounts.find(currency);
  return own !== null && own !== ref;
};

/** What money is sent by. A name is not part of it: the bank may report the one that it knows the recipient by. */
const numbersOf = (destination: PayoutDestination): string =>
  destination.rail === 'PIX'
    ? `${destination.pixKeyType} ${destination.pixKey}`
    : bankNumbersOf(destination.details);

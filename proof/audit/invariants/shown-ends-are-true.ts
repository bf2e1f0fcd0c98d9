// A final state that an app was shown is true at the provider: `completed` was paid exactly (amount, currency, recipient, once),
// `refunded` has returned the exact debit, `failed` has moved nothing. The check goes from what apps requested and were shown to
// the provider's ledger, without the service's rows.
import { type Books, netOf } from '../books.ts';
import type { Check } from '../counts.ts';
import { type Promised, promisesIn } from '../promises.ts';
import { firstOfEach, type Sighting } from '../shown.ts';

/** The allowed difference between the clocks of the provider's ledger and of the app. */
const CLOCKS_MS = 1_000;

type Say = (holds: boolean, what: string) => void;
type Claim = (books: Books, promised: Promised, byMs: number, say: Say) => void;

export function shownEndsAreTrue(books: Books, check: Check): void {
  const promisedWith = promisesIn(books.seen);
  for (const sighting of firstOfEach(books.seen.shown.sightings)) {
    const { id, status, answeredAt } = sighting;
    const promised = promisedWith(sighting);
    const claim = promised && claimOf(sighting);
    if (promised && claim)
      claim(books, promised, answeredAt + CLOCKS_MS, (holds, what) =>
        check(id, holds, `shown ${status}, ${what}`),
      );
  }
}

const wasPaid: Claim = (
  { outgoingUnder, payoutsUnder },
  { paidBy, amountMinor, currency, pixKey },
  byMs,
  say,
) => {
  const arrivals = outgoingUnder(paidBy).filter(({ amount }) => amount > 0);
  say(arrivals.length === 1, `yet ${arrivals.length} payouts have arrived`);
  for (const arrival of arrivals) {
    say(arrival.created_at <= byMs, 'before it had arrived');
    say(
      arrival.amount === amountMinor && arrival.currency === currency,
      `yet ${arrival.amount} ${arrival.currency} arrived instead of ${amountMinor} ${currency}`,
    );
  }
  for (const { destination } of payoutsUnder(paidBy)) {
    const { pix_key: receiver } = JSON.parse(destination) as { pix_key?: string };
    say(pixKey === undefined || receiver === pixKey, `yet ${receiver} was paid, and not ${pixKey}`);
  }
};

/** Nothing had moved by then, and nothing moved later. */
const nothingMoved: Claim = ({ movementsOf }, { moves }, byMs, say) => {
  const all = moves.flatMap((handle) => movementsOf(handle));
  for (const movements of [all.filter(({ created_at: at }) => at <= byMs), all])
    for (const [account, own] of Map.groupBy(movements, ({ account_uuid: at }) => at))
      say(netOf(own) === 0, `yet ${netOf(own)} moved on account ${account}`);
};

/**
 * The exact debit is back. USDC that remains, and BRL that a return at a better rate did not need, belong to the service and not to a
 * customer.
 */
const debitIsBack: Claim = (books, promised, byMs, say) => {
  const movementsOf = (handle: string) =>
    books.movementsOf(handle).filter(({ currency }) => currency !== 'USDC' && currency !== 'BRL');
  say(
    promised.moves.some((handle) => movementsOf(handle).length > 0),
    'yet nothing was ever taken',
  );
  nothingMoved({ ...books, movementsOf }, promised, byMs, say);
  const brl = promised.moves.flatMap(books.movementsOf).filter(({ currency }) => currency === 'BRL');
  say(netOf(brl) >= 0, `yet ${netOf(brl)} BRL moved`);
};

function claimOf({ thing, status, fields }: Sighting): Claim | undefined {
  if (status === 'completed') return wasPaid;
  if (status === 'refunded') return debitIsBack;
  // A payment in manual_review appears as a failed transaction and may have moved money.
  const isOfPayment = thing === 'transaction' && fields['type'] === 'payment';
  return status === 'failed' && !isOfPayment ? nothingMoved : undefined;
}

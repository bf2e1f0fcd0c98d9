// The list of every invariant that the auditor checks. Each has one file.
import type { Books } from '../books.ts';
import type { Hold, List } from '../counts.ts';
import { acceptedAgain } from './accepted-again.ts';
import { acknowledgedCallbacksAreOnDisk } from './acknowledged-callbacks.ts';
import { answersAreKept } from './answers-kept.ts';
import { allIsAtRest } from './at-rest.ts';
import { keptBalancesAreTrue } from './balance-cache.ts';
import { merchantsReceiveExactly } from './completed-exactly.ts';
import { depositsCountOnce } from './deposits-once.ts';
import { discrepanciesAreExplained } from './discrepancies-explained.ts';
import { effectsFollowDecisions } from './effects-follow.ts';
import { endsStay } from './ends-stay.ts';
import { failedMovesNothing } from './failed-moves-nothing.ts';
import { moneyIsConserved } from './money-conserved.ts';
import { nothingWithoutRow } from './nothing-without-row.ts';
import { onePayoutOneDebit } from './one-payout-one-debit.ts';
import { isPaidOrReturned } from './paid-or-returned.ts';
import { quotesWereAlive } from './quotes-alive.ts';
import { refundedIsWhole } from './refunded-whole.ts';
import { refusedAsExpired } from './refused-as-expired.ts';
import { refusedAsUsed } from './refused-as-used.ts';
import { refusedForMoney } from './refused-for-money.ts';
import { refusedOtherwise } from './refused-otherwise.ts';
import { shownAsRecorded } from './shown-as-recorded.ts';
import { shownBalancesWereTrue } from './shown-balances.ts';
import { shownEndsAreTrue } from './shown-ends-are-true.ts';
import { shownNeverGoesBack } from './shown-never-goes-back.ts';
import { statesAgree } from './states-agree.ts';
import { transactionsAgree } from './transactions-agree.ts';
import { unavailableCreatesNothing } from './unavailable-creates-nothing.ts';
import { unorderedIsShown } from './unordered-shown.ts';
import { unreadableIsFound } from './unreadable-found.ts';

export type Invariant = {
  name: string;
  /** Checks everything that the invariant applies to. It must not change the books. */
  check: (books: Books, hold: Hold, list: List) => void;
  /** Marks an invariant that compares the service's books with the provider's. The provider's own faults can make them differ. */
  mayDiffer?: true;
};

export const invariants: Invariant[] = [
  { name: 'money is conserved, per user and currency', check: moneyIsConserved, mayDiffer: true },
  { name: 'one payout per origin id, one debit per quote', check: onePayoutOneDebit, mayDiffer: true },
  {
    name: 'completed exactly when the merchant received the amount',
    check: merchantsReceiveExactly,
    mayDiffer: true,
  },
  { name: 'refunded restores the home account to the minor unit', check: refundedIsWhole, mayDiffer: true },
  { name: 'paid or returned, never both', check: isPaidOrReturned, mayDiffer: true },
  { name: 'failed means nothing moved', check: failedMovesNothing, mayDiffer: true },
  { name: 'our states equal the provider’s', check: statesAgree, mayDiffer: true },
  { name: 'no object without a row, no row without its object', check: nothingWithoutRow, mayDiffer: true },
  { name: 'an acknowledged callback is on disk', check: acknowledgedCallbacksAreOnDisk },
  { name: 'no effect without a decision, no decision without its effect', check: effectsFollowDecisions },
  { name: 'ends never go back', check: endsStay },
  { name: 'the transaction agrees with its payment', check: transactionsAgree },
  { name: 'every deposit exactly once', check: depositsCountOnce },
  { name: 'every answer that clients were given is kept', check: answersAreKept },
  { name: 'what was accepted is accepted again', check: acceptedAgain },
  { name: 'no payment is taken on with a dead quote', check: quotesWereAlive },
  { name: '422 insufficient_funds only where there was too little', check: refusedForMoney },
  { name: '409 quote_expired only of a quote that was', check: refusedAsExpired },
  { name: '409 quote_already_used only of a quote that paid another', check: refusedAsUsed },
  { name: 'no other refusal but for a reason that was true', check: refusedOtherwise },
  { name: '502 means that nothing was created', check: unavailableCreatesNothing },
  { name: 'an end that was shown is true at the provider', check: shownEndsAreTrue, mayDiffer: true },
  { name: 'what was shown never goes back', check: shownNeverGoesBack },
  { name: 'what was shown is what is recorded', check: shownAsRecorded },
  { name: 'every balance that was shown was the ledger’s', check: shownBalancesWereTrue },
  { name: 'a balance that is kept is the ledger’s', check: keptBalancesAreTrue },
  { name: 'no discrepancy is open that nothing explains', check: discrepanciesAreExplained },
  { name: 'what nobody ordered is shown to an operator', check: unorderedIsShown },
  { name: 'what a list cannot show is recorded', check: unreadableIsFound },
  { name: 'everything has come to rest, and in time', check: allIsAtRest, mayDiffer: true },
];

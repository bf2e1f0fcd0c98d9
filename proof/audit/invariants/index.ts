// The list of every invariant that the auditor checks. Each has one file.
import type { Books } from '../books.ts';
import type { Check, List } from '../counts.ts';
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
  check: (books: Books, check: Check, list: List) => void;
  /** Marks an invariant that compares the service's books with the provider's. The provider's own faults can make them differ. */
  mayDiffer?: true;
};

export const invariants: Invariant[] = [
  { name: 'money is conserved, per user and currency', check: moneyIsConserved, mayDiffer: true },
  { name: 'one payout per origin id, one debit per quote', check: onePayoutOneDebit, mayDiffer: true },
  {
    name: 'a payment is completed exactly if the merchant received the amount',
    check: merchantsReceiveExactly,
    mayDiffer: true,
  },
  { name: 'a refund restores the home account to the minor unit', check: refundedIsWhole, mayDiffer: true },
  { name: 'a payment is paid or returned, never both', check: isPaidOrReturned, mayDiffer: true },
  { name: 'a failure moved no money', check: failedMovesNothing, mayDiffer: true },
  { name: 'our states equal the provider’s', check: statesAgree, mayDiffer: true },
  { name: 'every object has a row, and every row has its object', check: nothingWithoutRow, mayDiffer: true },
  { name: 'an acknowledged callback is on disk', check: acknowledgedCallbacksAreOnDisk },
  { name: 'every effect has a decision, and every decision has its effects', check: effectsFollowDecisions },
  { name: 'final states never change', check: endsStay },
  { name: 'the transaction agrees with its payment', check: transactionsAgree },
  { name: 'every deposit is recorded exactly once', check: depositsCountOnce },
  { name: 'every accepted request has its row', check: answersAreKept },
  { name: 'an accepted request is accepted again', check: acceptedAgain },
  { name: 'no payment is accepted with an expired quote', check: quotesWereAlive },
  { name: '422 insufficient_funds is returned only if there was too little money', check: refusedForMoney },
  { name: '409 quote_expired is returned only if the quote had expired', check: refusedAsExpired },
  { name: '409 quote_already_used is returned only if another payment used the quote', check: refusedAsUsed },
  { name: 'every other refusal had a true reason', check: refusedOtherwise },
  { name: '502 means that nothing was created', check: unavailableCreatesNothing },
  { name: 'a final state that was shown is true at the provider', check: shownEndsAreTrue, mayDiffer: true },
  { name: 'a status that was shown never goes back', check: shownNeverGoesBack },
  { name: 'everything that was shown is recorded', check: shownAsRecorded },
  { name: 'every balance that was shown was in the ledger', check: shownBalancesWereTrue },
  { name: 'every cached balance is in the ledger', check: keptBalancesAreTrue },
  { name: 'every open discrepancy has an explanation', check: discrepanciesAreExplained },
  { name: 'an operator sees everything that nobody ordered', check: unorderedIsShown },
  { name: 'every unreadable object of a list is recorded', check: unreadableIsFound },
  { name: 'all work ends in time', check: allIsAtRest, mayDiffer: true },
];

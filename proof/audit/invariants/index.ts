// The table of contents: every invariant the auditor holds the books to, one file each.
import type { Books } from '../books.ts';
import type { Hold } from '../tally.ts';
import { acknowledgedCallbacksAreOnDisk } from './acknowledged-callbacks.ts';
import { answersAreKept } from './answers-kept.ts';
import { allIsAtRest } from './at-rest.ts';
import { merchantsReceiveExactly } from './completed-exactly.ts';
import { depositsCountOnce } from './deposits-once.ts';
import { effectsFollowDecisions } from './effects-follow.ts';
import { endsStay } from './ends-stay.ts';
import { failedMovesNothing } from './failed-moves-nothing.ts';
import { moneyIsConserved } from './money-conserved.ts';
import { nothingWithoutRow } from './nothing-without-row.ts';
import { onePayoutOneDebit } from './one-payout-one-debit.ts';
import { refundedIsWhole } from './refunded-whole.ts';
import { statesAgree } from './states-agree.ts';
import { transactionsAgree } from './transactions-agree.ts';

export type Invariant = {
  name: string;
  /** Holds every thing it is about; must not change the books. */
  check: (books: Books, hold: Hold) => void;
};

export const invariants: Invariant[] = [
  { name: 'money is conserved, per user and currency', check: moneyIsConserved },
  { name: 'one payout per origin id, one debit per quote', check: onePayoutOneDebit },
  { name: 'completed exactly when the merchant received the amount', check: merchantsReceiveExactly },
  { name: 'refunded restores the home account to the minor unit', check: refundedIsWhole },
  { name: 'failed means nothing moved', check: failedMovesNothing },
  { name: 'our states equal the provider’s', check: statesAgree },
  { name: 'no object without a row, no row without its object', check: nothingWithoutRow },
  { name: 'an acknowledged callback is on disk', check: acknowledgedCallbacksAreOnDisk },
  { name: 'no effect without a decision, no decision without its effect', check: effectsFollowDecisions },
  { name: 'ends never go back', check: endsStay },
  { name: 'the transaction agrees with its payment', check: transactionsAgree },
  { name: 'every deposit exactly once', check: depositsCountOnce },
  { name: 'every answer that clients were given is kept', check: answersAreKept },
  { name: 'everything has come to rest, and in time', check: allIsAtRest },
];

// Legitimate races and missing proofs. They resemble violations, but the auditor must not report them.
import {
  answeredTwice,
  changeLastBalance,
  LATE_DECISIONS,
  orderOf,
  refusedWith,
  refusedWithDeletedQuote,
  refuseForMoney,
  show,
  type Tampering,
} from './tampering.ts';

/** The provider was made to show balances of some seconds ago. */
const oldBalances = `insert into injected_faults (kind, resource_uuid, at, details)
  select 'provider.laggingRead', uuid, 0, '{}' from accounts`;

export const honestRaces: Tampering[] = [
  {
    invariant: 'a final state that was shown is true at the provider',
    // The rate of the return was better than that of the payment, so some of the BRL was not needed.
    theirs: `update movements set amount = amount - 100
      where kind = 'INTERNAL_TRANSFER' and direction = 'DEBIT' and currency = 'BRL'`,
  },
  {
    invariant: 'an operator sees everything that nobody ordered',
    // The list shows the payout with an unknown status. The run that finds it does not yet fetch it by its uuid.
    ours: `with shown as (delete from discrepancies where kind = 'not_ordered' returning provider_ref)
      insert into list_findings (id, kind, list, provider_ref, reason, found_at)
      select gen_random_uuid(), 'unreadable', 'payouts', provider_ref, 'status', now() from shown`,
  },
  {
    // The clock of the deciding process was ahead.
    invariant: 'everything that was shown is recorded',
    ours: LATE_DECISIONS,
    told: { clocksDifferByMs: 240_000 },
  },
  // The first withdrawal had already failed when the second copy of the request came.
  {
    invariant: 'every accepted request has its row',
    ...answeredTwice,
    ours: `${answeredTwice.ours}; update withdraws set created_at = now() where state = 'completed'`,
  },
  {
    invariant: 'one payout per origin id, one debit per quote',
    // The provider took a different amount than it quoted, and returned all of it when the conversion failed.
    theirs: `update transfers set source_amount = source_amount + 1 where status = 'FAILED'`,
  },
  {
    invariant: '422 insufficient_funds is returned only if there was too little money',
    journal: [
      'refused before the money came',
      (journal) => {
        const { order, answer } = refusedWith(journal, 'insufficient_funds');
        order.costMinor = 100;
        Object.assign(answer, { sentAt: 1, answeredAt: 2 });
      },
    ],
  },
  {
    invariant: '422 insufficient_funds is returned only if there was too little money',
    // The payment was accepted, debited at the provider an hour later, and not given up.
    ours: 'delete from transitions',
    theirs: `update movements set created_at = created_at + 3600000 where direction = 'DEBIT'`,
    journal: [
      'refused for what was promised and not yet debited',
      (journal) => refuseForMoney(journal, 99_000),
    ],
  },
  {
    // The quote may have been one for two conversions, which also need the account in USDC.
    invariant: 'every other refusal had a true reason',
    ours: `update transitions set occurred_at = now() + interval '1 hour'
      where subject_id in (select id from provider_accounts where currency = 'USDC')`,
    journal: refusedWithDeletedQuote,
  },
  {
    invariant: '502 means that nothing was created',
    journal: [
      'created by another copy, which got no answer',
      (journal, { direct }) => {
        const order = orderOf(journal, direct);
        const first = order.answers[0];
        if (!first) return;
        const { id: _, ...unanswered } = { ...first, status: null };
        order.answers = [{ ...unanswered, status: 502, code: 'provider_unavailable' }, unanswered];
      },
    ],
  },
  {
    invariant: 'an accepted request is accepted again',
    journal: [
      'refused a moment before another copy was accepted',
      (journal, { direct }) => {
        const { answers } = orderOf(journal, direct);
        const [first] = answers;
        if (first) answers.push({ ...first, status: 409, code: 'account_not_active' });
      },
    ],
  },
  {
    invariant: '409 quote_already_used is returned only if another payment used the quote',
    journal: [
      'two recipients raced, and the other was accepted first',
      (journal) => {
        const { answer } = refusedWith(journal, 'quote_already_used');
        answer.sentAt -= 60_000;
      },
    ],
  },
  {
    invariant: 'a status that was shown never goes back',
    journal: [
      'two answers that crossed each other',
      (journal, { direct }) => {
        show(journal, direct, { status: 'paying' });
        const crossing = journal.shown.at(-1);
        if (crossing) crossing.sentAt = 1;
      },
    ],
  },
  {
    invariant: 'every balance that was shown was in the ledger',
    journal: [
      'one that was kept, with no end shown since',
      (journal) => {
        journal.shown = journal.shown.filter(({ method, path }) => method === 'GET' && path === '/me');
        const [before, last] = journal.shown.slice(-2);
        if (!before || !last) return;
        last.sentAt = last.answeredAt = before.answeredAt + 14_000;
        changeLastBalance(journal, (_, all) => all.at(-2) ?? 0);
      },
    ],
  },
  {
    invariant: 'every cached balance is in the ledger',
    ours: 'update users set balance_minor = 1, balance_read_at = null',
  },
  {
    invariant: 'every cached balance is in the ledger',
    ours: 'update users set balance_minor = balance_minor + 1',
    theirs: oldBalances,
  },
  {
    invariant: 'every balance that was shown was in the ledger',
    theirs: oldBalances,
    journal: [
      'that of before the last payment, from a provider whose reads lag',
      (journal) => {
        const [before, last] = journal.shown
          .filter(({ method, path }) => method === 'GET' && path === '/me')
          .slice(-2);
        if (!before || !last) return;
        last.sentAt = last.answeredAt = before.answeredAt + 14_000;
        changeLastBalance(journal, (_, all) => all.at(-2) ?? 0);
      },
    ],
  },
  // A quote that claims a long life: five minutes from its receipt, the 30 s after its end, and a minute for a failover.
  {
    invariant: 'all work ends in time',
    told: { restedAfterMs: 400_000, heldForMs: 390_000 },
  },
];

// Violations planted in a finished world's books, one at a time, and the invariant that must find each.
import {
  answeredTwice,
  answerLater,
  changeLastBalance,
  discrepancyAbout,
  LATE_DECISIONS,
  orderOf,
  refusedWith,
  refusedWithDeletedQuote,
  refuseForMoney,
  show,
  type Tampering,
} from './tampering.ts';

export const tamperings: Tampering[] = [
  {
    invariant: 'money is conserved, per user and currency',
    theirs: `update ledger_accounts set balance = balance + 1 where name = 'margin:GBP'`,
  },
  {
    invariant: 'money is conserved, per user and currency',
    theirs: `update ledger_entries set amount = amount + 1 where seq = 1`,
  },
  {
    invariant: 'money is conserved, per user and currency',
    ours: `update transitions set event_data = event_data || '{"sourceAmountMinor": 1}' where event = 'direct.completed'`,
  },
  {
    invariant: 'money is conserved, per user and currency',
    ours: `update transactions set source_amount_minor = source_amount_minor + 1 where type = 'deposit'`,
  },
  {
    invariant: 'one payout per origin id, one debit per quote',
    theirs: `insert into movements (uuid, account_uuid, direction, kind, amount, currency, source_reference, created_at)
      select 'twice', account_uuid, direction, kind, amount, currency, source_reference, created_at
      from movements where kind = 'PAYOUT' and direction = 'DEBIT' limit 1`,
  },
  {
    invariant: 'one payout per origin id, one debit per quote',
    theirs: `insert into movements (uuid, account_uuid, direction, kind, amount, currency, source_reference, created_at)
      select 'twice', account_uuid, direction, kind, amount, currency, source_reference, created_at
      from movements where kind = 'INTERNAL_TRANSFER' and direction = 'DEBIT' limit 1`,
  },
  {
    invariant: 'one payout per origin id, one debit per quote',
    ours: `alter table pix_payments drop constraint pix_payments_quote_id_user_id_unique;
      update pix_payments set quote_id = (select quote_id from pix_payments where id = '$direct') where id = '$twoHop'`,
  },
  {
    invariant: 'one payout per origin id, one debit per quote',
    theirs: `update payouts set charge_uuid = 'one for all' where rail = 'PIX' and status = 'COMPLETED'`,
  },
  {
    invariant: 'a payment is completed exactly if the merchant received the amount',
    theirs: `update payouts set amount = amount - 1 where rail = 'PIX' and status = 'COMPLETED'`,
  },
  {
    invariant: 'a payment is completed exactly if the merchant received the amount',
    ours: `update pix_payments set state = 'payout_failed' where id = '$direct'`,
  },
  {
    invariant: 'a payment is completed exactly if the merchant received the amount',
    ours: `update withdraws set state = 'completed' where state = 'failed'`,
  },
  {
    invariant: 'a refund restores the home account to the minor unit',
    theirs: `update movements set amount = amount - 1
      where currency = 'GBP' and kind = 'INTERNAL_TRANSFER' and direction = 'CREDIT'`,
  },
  {
    invariant: 'a refund restores the home account to the minor unit',
    theirs: `update transfers set destination_amount = destination_amount - 1 where source_account_uuid in
      (select uuid from accounts where currency = 'USDC')`,
  },
  {
    invariant: 'a payment is paid or returned, never both',
    theirs: `update payouts set status = 'COMPLETED' where failure_code = 'recipient_unknown'`,
  },
  {
    invariant: 'a payment is paid or returned, never both',
    theirs: `update transfers set source_amount = source_amount + 1 where source_account_uuid in
      (select uuid from accounts where currency = 'BRL')`,
  },
  {
    invariant: 'a payment is paid or returned, never both',
    ours: `update transitions set cause_kind = 'job' where event = 'return.requested'`,
  },
  {
    invariant: 'a failure moved no money',
    theirs: `delete from movements where kind = 'INTERNAL_TRANSFER' and direction = 'CREDIT' and currency = 'GBP'`,
  },
  {
    invariant: 'a failure moved no money',
    ours: `update pix_payments set state = 'failed' where id = '$returned'`,
  },
  {
    invariant: 'our states equal the provider’s',
    ours: `update pix_payments set state = 'manual_review' where id = '$direct'`,
  },
  {
    invariant: 'our states equal the provider’s',
    theirs: `update payouts set status = 'REFUNDED' where status = 'COMPLETED'`,
  },
  { invariant: 'our states equal the provider’s', ours: `update kyc_verifications set state = 'failed'` },
  {
    invariant: 'every object has a row, and every row has its object',
    ours: `delete from provider_resources where subject_id = '$direct' and kind = 'payout'`,
  },
  {
    invariant: 'every object has a row, and every row has its object',
    ours: `update provider_resources set provider_ref = null where subject_id = '$direct'`,
  },
  {
    invariant: 'every object has a row, and every row has its object',
    theirs: `delete from payouts where status = 'COMPLETED'`,
  },
  {
    invariant: 'every object has a row, and every row has its object',
    theirs: `update payouts set origin_id = 'b2f50df0-0000-4000-8000-000000000000' where rail = 'FPS' and amount = 1000`,
  },
  {
    invariant: 'an acknowledged callback is on disk',
    ours: `delete from webhook_events where id = (select max(id::text)::uuid from webhook_events)`,
  },
  {
    invariant: 'an acknowledged callback is on disk',
    ours: `delete from webhook_payloads where event_id = (select max(event_id::text)::uuid from webhook_payloads)`,
  },
  {
    invariant: 'an acknowledged callback is on disk',
    ours: `update webhook_events set payload_sealed = 'again'
      where id = (select max(event_id::text)::uuid from webhook_payloads)`,
  },
  {
    invariant: 'every effect has a decision, and every decision has its effects',
    ours: `delete from effects where type = 'startPayout' and subject_id = '$direct'`,
  },
  {
    invariant: 'every effect has a decision, and every decision has its effects',
    ours: `update effects set seq = seq + 7 where type = 'startPayout' and subject_id = '$direct'`,
  },
  {
    invariant: 'every effect has a decision, and every decision has its effects',
    ours: `delete from transitions where subject_id = '$direct' and seq = 2`,
  },
  {
    invariant: 'final states never change',
    ours: `insert into transitions select subject_kind, subject_id, seq + 1, user_id, 'completed', 'paying', 'retry',
        event_data, cause_kind, cause_id, occurred_at from transitions where subject_id = '$direct' and to_state = 'completed'`,
  },
  {
    invariant: 'the transaction agrees with its payment',
    ours: `update transactions set status = 'pending' where type = 'payment' and status = 'completed'`,
  },
  {
    invariant: 'the transaction agrees with its payment',
    ours: `insert into transactions (id, user_id, type, status, source_currency, source_amount_minor, provider, created_at)
      select gen_random_uuid(), user_id, 'withdraw', 'completed', 'GBP', 1, provider, created_at from transactions limit 1`,
  },
  {
    invariant: 'every deposit is recorded exactly once',
    ours: `delete from transactions where type = 'deposit'`,
  },
  {
    invariant: 'every deposit is recorded exactly once',
    ours: `alter table transactions drop constraint transactions_provider_ref_unique;
      insert into transactions select gen_random_uuid(), user_id, type, status, source_currency, source_amount_minor,
        dest_currency, dest_amount_minor, fx_rate, provider, provider_ref, failure, created_at, completed_at
      from transactions where type = 'deposit'`,
  },
  {
    invariant: 'every deposit is recorded exactly once',
    theirs: `delete from movements where kind = 'DEPOSIT'`,
  },
  {
    invariant: 'every accepted request has its row',
    ours: `delete from pix_payments where id = '$failed'`,
  },
  {
    invariant: 'every accepted request has its row',
    ...answeredTwice,
  },
  {
    invariant: 'all work ends in time',
    ours: `update effects set status = 'queued', due_at = now() + interval '1 hour' where type = 'startPayout'`,
  },
  {
    invariant: 'all work ends in time',
    ours: `update effects set leased_by = gen_random_uuid() where type = 'startPayout'`,
  },
  {
    invariant: 'all work ends in time',
    ours: `update webhook_events set leased_by = gen_random_uuid()`,
  },
  {
    invariant: 'all work ends in time',
    ours: `update provider_resources set next_poll_at = now() where kind = 'payout'`,
  },
  {
    invariant: 'all work ends in time',
    ours: `update provider_resources set leased_by = gen_random_uuid() where kind = 'payout'`,
  },
  {
    invariant: 'all work ends in time',
    ours: `insert into job_runs (job, run, position, counts, updated_at, due_at)
      values ('reconcile', 'of a night before', '{}', '{}', now(), now())`,
  },
  { invariant: 'everything that was shown is recorded', ours: LATE_DECISIONS },
  {
    invariant: 'an operator sees everything that nobody ordered',
    ours: `delete from discrepancies where kind = 'not_ordered'`,
  },
  {
    invariant: 'an operator sees everything that nobody ordered',
    ours: `update discrepancies set resolved_at = now(), resolution = 'it has a row' where kind = 'not_ordered'`,
  },
  {
    invariant: 'an operator sees everything that nobody ordered',
    ours: discrepancyAbout('$direct', 'not_ordered'),
  },
  {
    invariant: 'an operator sees everything that nobody ordered',
    ours: `update discrepancies set provider_ref = (select provider_ref from provider_resources
      where subject_id = '$direct' and kind = 'payout') where kind = 'not_ordered'`,
  },
  { invariant: 'every unreadable object of a list is recorded', ours: 'delete from list_findings' },
  {
    invariant: 'every unreadable object of a list is recorded',
    ours: `update list_findings set resolved_at = now(), resolution = 'closed by hand'`,
  },
  {
    invariant: 'every unreadable object of a list is recorded',
    theirs: `delete from injected_faults where kind = 'provider.unreadable'`,
  },
  { invariant: 'all work ends in time', told: { restedAfterMs: 61_000 } },
  {
    invariant: 'all work ends in time',
    told: { restedAfterMs: 361_000, heldForMs: 300_000 },
  },
  {
    invariant: 'all work ends in time',
    told: { restedAfterMs: 421_000, heldForMs: 421_000 },
  },
  { invariant: 'all work ends in time', told: { restedAfterMs: null } },

  {
    invariant: 'an accepted request is accepted again',
    journal: [
      'a repetition was refused, the quote having died since',
      (journal, { direct }) => answerLater(orderOf(journal, direct), { status: 409, code: 'quote_expired' }),
    ],
  },
  {
    invariant: 'no payment is accepted with an expired quote',
    ours: `update pix_payments set created_at = created_at + interval '2 minutes' where id = '$direct'`,
  },
  {
    invariant: 'no payment is accepted with an expired quote',
    ours: `update pix_quotes set expires_at = expires_at + interval '1 second'`,
  },
  {
    invariant: 'no payment is accepted with an expired quote',
    journal: [
      'another end of the quote was shown',
      (journal, { direct }) =>
        Object.assign(orderOf(journal, direct), { expiresAt: new Date().toISOString() }),
    ],
  },
  {
    invariant: '422 insufficient_funds is returned only if there was too little money',
    journal: ['refused, with the money there', (journal) => refuseForMoney(journal, 50_000)],
  },
  {
    invariant: '422 insufficient_funds is returned only if there was too little money',
    // A debit that the service does not know yet has left the balance, and is not reserved any more.
    ours: `update provider_resources set provider_ref = null`,
    journal: ['refused for what had gone already', (journal) => refuseForMoney(journal, 50_000)],
  },
  {
    invariant: '409 quote_expired is returned only if the quote had expired',
    journal: [
      'refused, with the quote alive',
      (journal) => {
        const { order, answer } = refusedWith(journal, 'quote_expired');
        order.expiresAt = new Date(answer.answeredAt + 100).toISOString();
      },
    ],
  },
  {
    invariant: '409 quote_expired is returned only if the quote had expired',
    journal: [
      'a withdrawal has no quote',
      (journal) =>
        Object.assign(refusedWith(journal, 'account_not_active').answer, { code: 'quote_expired' }),
    ],
  },
  {
    invariant: '409 quote_already_used is returned only if another payment used the quote',
    journal: [
      'refused to the recipient it has paid',
      (journal) =>
        Object.assign(refusedWith(journal, 'quote_already_used').order, { pixKey: 'shop@example.com' }),
    ],
  },
  {
    invariant: '409 quote_already_used is returned only if another payment used the quote',
    journal: [
      'refused, with nothing paid by it',
      (journal) =>
        Object.assign(refusedWith(journal, 'quote_expired').answer, { code: 'quote_already_used' }),
    ],
  },
  {
    invariant: '409 quote_already_used is returned only if another payment used the quote',
    journal: [
      'refused before it had paid',
      (journal) =>
        Object.assign(refusedWith(journal, 'quote_already_used').answer, { sentAt: 1, answeredAt: 2 }),
    ],
  },
  {
    // All accounts were active long before.
    invariant: 'every other refusal had a true reason',
    journal: refusedWithDeletedQuote,
  },
  ...[
    { status: 500, code: 'internal_error' },
    { status: 404, code: 'not_found' },
    { status: 400, code: 'insufficient_funds' },
    { status: 409, code: 'account_not_active' },
    { status: 409, code: 'bank_details_required' },
    { status: 409, code: 'home_currency_required' },
  ].map(
    (answer): Tampering => ({
      invariant: 'every other refusal had a true reason',
      journal: [
        `refused with ${answer.status} ${answer.code}`,
        (journal) => {
          const { order, answer: last } = refusedWith(journal, 'provider_unavailable');
          // This is long after every condition that the answer names was fulfilled.
          order.answers.push({ sentAt: last.sentAt + 60_000, answeredAt: last.sentAt + 60_100, ...answer });
        },
      ],
    }),
  ),
  {
    invariant: '502 means that nothing was created',
    journal: [
      'created, and answered 502',
      (journal, { direct }) => {
        const order = orderOf(journal, direct);
        const first = order.answers[0];
        order.answers = first ? [{ ...first, status: 502, code: 'provider_unavailable' }] : [];
      },
    ],
  },
  {
    invariant: 'a final state that was shown is true at the provider',
    theirs: `update ledger_entries set amount = amount - 1 where account = 'outside:BRL'`,
  },
  {
    invariant: 'a final state that was shown is true at the provider',
    theirs: `update payouts set destination = replace(destination, 'shop@', 'stranger@')`,
  },
  {
    invariant: 'a final state that was shown is true at the provider',
    theirs: `insert into ledger_transactions select id + 10000, reason, reference, created_at from ledger_transactions
        where reason = 'PAYOUT_COMPLETED' limit 1;
      insert into ledger_entries (transaction_id, account, currency, amount)
        select transaction_id + 10000, account, currency, amount from ledger_entries
        where transaction_id = (select max(id) - 10000 from ledger_transactions)`,
  },
  {
    invariant: 'a final state that was shown is true at the provider',
    theirs: `update ledger_transactions set created_at = created_at + 60000 where reason = 'PAYOUT_COMPLETED'`,
  },
  {
    invariant: 'a final state that was shown is true at the provider',
    theirs: `update movements set amount = amount - 1
      where currency = 'GBP' and kind = 'INTERNAL_TRANSFER' and direction = 'CREDIT'`,
  },
  ...(
    [
      ['payoutFailed', 'completed'],
      ['direct', 'refunded'],
      ['returned', 'failed'],
    ] as const
  ).map(
    ([payment, status]): Tampering => ({
      invariant: 'a final state that was shown is true at the provider',
      journal: [
        `${payment} was shown ${status}`,
        (journal, payments) => show(journal, payments[payment], { status }),
      ],
    }),
  ),
  {
    invariant: 'a status that was shown never goes back',
    journal: [
      'completed, and then paying',
      (journal, { direct }) => show(journal, direct, { status: 'paying' }),
    ],
  },
  {
    invariant: 'a status that was shown never goes back',
    journal: [
      'a deposit that is still pending',
      ({ shown }) => {
        const list = shown.findLast(({ path }) => path === '/transactions');
        const bodies = (list?.body ?? []) as { type: string; status: string }[];
        Object.assign(bodies.find(({ type }) => type === 'deposit') ?? {}, { status: 'pending' });
      },
    ],
  },
  ...[
    { amountBrl: '20.01' },
    { exchangeRate: '7.00000000' },
    { transactionId: 'b2f50df0-0000-4000-8000-000000000000' },
    { endToEndId: 'E0' },
    { failureReason: 'Something.' },
    { status: 'refunding' },
  ].map(
    (fields): Tampering => ({
      invariant: 'everything that was shown is recorded',
      journal: [
        `shown with ${JSON.stringify(fields)}`,
        (journal, { direct }) => show(journal, direct, fields),
      ],
    }),
  ),
  {
    invariant: 'everything that was shown is recorded',
    journal: [
      'one reason in two sentences',
      (journal, { payoutFailed }) => show(journal, payoutFailed, { failureReason: 'Another sentence.' }),
    ],
  },
  {
    invariant: 'everything that was shown is recorded',
    journal: [
      'a payment that nobody has',
      (journal, { direct }) => show(journal, direct, { id: 'b2f50df0-0000-4000-8000-000000000000' }),
    ],
  },
  {
    invariant: 'everything that was shown is recorded',
    ours: `update transactions set dest_amount_minor = dest_amount_minor + 1 where type = 'payment'`,
  },
  {
    invariant: 'every balance that was shown was in the ledger',
    journal: ['one penny more', (journal) => changeLastBalance(journal, (amount) => amount + 1)],
  },
  {
    invariant: 'every balance that was shown was in the ledger',
    // The balance is recent enough to be cached, but the app has been shown since that money left.
    journal: [
      'that of before the last payment',
      (journal) => changeLastBalance(journal, (_, all) => all[0] ?? 0),
    ],
  },
  {
    invariant: 'every cached balance is in the ledger',
    ours: `update users set balance_minor = balance_minor + 1`,
  },
  {
    invariant: 'every cached balance is in the ledger',
    // The age does not matter: the balance should have been invalidated.
    ours: `update users set balance_minor = 0, balance_read_at = now() - interval '1 hour'`,
  },
  {
    invariant: 'every cached balance is in the ledger',
    theirs: `delete from movements where kind = 'DEPOSIT'`,
  },
  {
    invariant: 'every open discrepancy has an explanation',
    ours: discrepancyAbout('$direct', 'contradicted_state'),
  },
];

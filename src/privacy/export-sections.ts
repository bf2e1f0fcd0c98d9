// What an export says of each table that holds something of a person: in words, and column by column. A column that is
// added does not compile until it has its place here.
import type { Tables } from '../entities/index.ts';
import { places } from '../sealing/encryption-contexts.ts';
import type { Place } from '../sealing/envelope.ts';
import type { Row, Shown } from './export-values.ts';
import type { PersonalTable } from './personal-data-map.ts';

type Section<Table extends PersonalTable> = {
  about: string;
  /** What the person gave us, or did: that is what they may take elsewhere. */
  isTheirOwn: boolean;
  columns: Record<keyof Tables[Table] & string, Shown>;
};

const text = (row: Row, column: string): string => String(row[column]);

/** Sealed with the person's key, under the row's id or another of its columns. */
const sealed = (
  place: (userId: string, row: string) => Place,
  { owner = 'user_id', row = 'id' } = {},
): Shown => ({
  sealedAt: (one) => place(text(one, owner), text(one, row)),
});

const ours: Shown = { leftOutBecause: 'It counts our own steps and says nothing about a person.' };
const user_id = 'as it is';

/** In the order in which they are told. */
export const sections: { [Table in Exclude<PersonalTable, 'data_keys'>]: Section<Table> } = {
  users: {
    about:
      'The account: how the person signs in, what they are called here, and when it was made and closed.',
    isTheirOwn: true,
    columns: {
      id: 'as it is',
      auth_provider: 'as it is',
      auth_subject: 'as it is',
      email_sealed: sealed(places.email, { owner: 'id' }),
      display_name: 'as it is',
      home_currency: 'as it is',
      balance_minor: { minorUnitsIn: 'home_currency' },
      balance_read_at: 'as it is',
      balance_version: ours,
      closed_at: 'as it is',
      hard_deletion_due_at: 'as it is',
      created_at: 'as it is',
    },
  },
  kyc_verifications: {
    about: 'The identity verification, with the name and the e-mail address that were verified.',
    isTheirOwn: true,
    columns: {
      id: 'as it is',
      user_id,
      state: 'as it is',
      seq: ours,
      state_entered_at: 'as it is',
      level: 'as it is',
      identity_sealed: sealed(places.identity),
      completed_at: 'as it is',
      created_at: 'as it is',
      updated_at: 'as it is',
    },
  },
  provider_accounts: {
    about: 'The accounts opened for the person at the banking provider, and where to send deposits to.',
    isTheirOwn: false,
    columns: {
      id: 'as it is',
      user_id,
      currency: 'as it is',
      state: 'as it is',
      seq: ours,
      state_entered_at: 'as it is',
      provider_account_id: 'as it is',
      movements_after: ours,
      deposit_instructions_sealed: sealed(places.depositInstructions),
      created_at: 'as it is',
      updated_at: 'as it is',
    },
  },
  bank_details: {
    about: 'The bank accounts that the person saved to withdraw to, and what checking them came to.',
    isTheirOwn: true,
    columns: {
      id: 'as it is',
      user_id,
      currency: 'as it is',
      details_sealed: sealed(places.bankDetails, { row: 'currency' }),
      version: 'as it is',
      validation_status: 'as it is',
      validated_at: 'as it is',
      created_at: 'as it is',
      updated_at: 'as it is',
    },
  },
  transactions: {
    about: 'Every deposit, payment and withdrawal, as it is listed in the app.',
    isTheirOwn: true,
    columns: {
      id: 'as it is',
      user_id,
      type: 'as it is',
      status: 'as it is',
      source_currency: 'as it is',
      source_amount_minor: { minorUnitsIn: 'source_currency' },
      dest_currency: 'as it is',
      dest_amount_minor: { minorUnitsIn: 'dest_currency' },
      fx_rate: 'as it is',
      provider: 'as it is',
      provider_ref: 'as it is',
      source_reference_sealed: sealed(places.sourceReference),
      failure: 'as it is',
      created_at: 'as it is',
      completed_at: 'as it is',
    },
  },
  pix_payments: {
    about: 'The PIX payments: to which key and to whom, at what price, and what became of them.',
    isTheirOwn: true,
    columns: {
      id: 'as it is',
      user_id,
      transaction_id: 'as it is',
      quote_id: 'as it is',
      state: 'as it is',
      seq: ours,
      state_entered_at: 'as it is',
      flow: 'as it is',
      amount_brl_minor: { minorUnitsOf: 'BRL' },
      source_currency: 'as it is',
      source_amount_minor: { minorUnitsIn: 'source_currency' },
      usdc_quoted_minor: { minorUnitsOf: 'USDC' },
      exchange_rate: 'as it is',
      pix_key_type: 'as it is',
      pix_key_sealed: sealed(places.pixKey),
      recipient_name_sealed: sealed(places.recipientName),
      home_debit_minor: { minorUnitsIn: 'source_currency' },
      usdc_delivered_minor: { minorUnitsOf: 'USDC' },
      usdc_residual_minor: { minorUnitsOf: 'USDC' },
      payout_attempt: 'as it is',
      end_to_end_id: 'as it is',
      voucher_id: 'as it is',
      failure: 'as it is',
      acknowledged_seq: ours,
      acknowledged_at: 'as it is',
      acknowledgement: 'as it is',
      expires_at: 'as it is',
      created_at: 'as it is',
      updated_at: 'as it is',
    },
  },
  pix_quotes: {
    about: 'The prices that the person asked for.',
    isTheirOwn: true,
    columns: {
      id: 'as it is',
      user_id,
      flow: 'as it is',
      amount_brl_minor: { minorUnitsOf: 'BRL' },
      source_currency: 'as it is',
      source_amount_minor: { minorUnitsIn: 'source_currency' },
      usdc_quoted_minor: { minorUnitsOf: 'USDC' },
      rate: 'as it is',
      service_spread_bps: 'as it is',
      provider_quote_id: 'as it is',
      provider_life_ms: ours,
      expires_at: 'as it is',
      created_at: 'as it is',
    },
  },
  withdraws: {
    about: 'The withdrawals, with the bank account as it was when each was accepted.',
    isTheirOwn: true,
    columns: {
      id: 'as it is',
      user_id,
      state: 'as it is',
      seq: ours,
      state_entered_at: 'as it is',
      currency: 'as it is',
      amount_minor: { minorUnitsIn: 'currency' },
      rail: 'as it is',
      bank_details_id: 'as it is',
      bank_details_version: 'as it is',
      destination_sealed: sealed(places.withdrawDestination),
      expected_settlement_seconds: 'as it is',
      failure: 'as it is',
      created_at: 'as it is',
      updated_at: 'as it is',
    },
  },
  data_requests: {
    about: 'What the person asked for under data protection law, with their own words.',
    isTheirOwn: true,
    columns: {
      id: 'as it is',
      user_id,
      type: 'as it is',
      status: 'as it is',
      notes_sealed: sealed(places.requestNotes),
      received_at: 'as it is',
      due_at: 'as it is',
      closed_at: 'as it is',
    },
  },
  transitions: {
    about:
      'The history: each change of state of a payment, withdrawal, account or verification, and what caused it. Amounts are in minor units, named in the event.',
    isTheirOwn: false,
    columns: {
      subject_kind: 'as it is',
      subject_id: 'as it is',
      seq: 'as it is',
      user_id,
      from_state: 'as it is',
      to_state: 'as it is',
      event: 'as it is',
      event_data: 'as it is',
      cause_kind: 'as it is',
      cause_id: {
        leftOutBecause: 'It may name one of our people; what is about the person is in the other sections.',
      },
      at: 'as it is',
    },
  },
  effects: {
    about: 'Work that was ordered for the person: conversions, payouts, accounts, checks of bank details.',
    isTheirOwn: false,
    columns: {
      id: 'as it is',
      user_id,
      subject_kind: 'as it is',
      subject_id: 'as it is',
      seq: 'as it is',
      type: 'as it is',
      params: 'as it is',
      status: 'as it is',
      attempts: 'as it is',
      last_error: 'as it is',
      next_attempt_at: 'as it is',
      unknown_at: 'as it is',
      held_refusal: 'as it is',
      paused_ms: ours,
      created_at: 'as it is',
      finished_at: 'as it is',
    },
  },
  provider_resources: {
    about: 'What exists at the banking provider for the person, and what it said when something went wrong.',
    isTheirOwn: false,
    columns: {
      handle: 'as it is',
      kind: 'as it is',
      user_id,
      subject_kind: 'as it is',
      subject_id: 'as it is',
      leg: 'as it is',
      provider_ref: 'as it is',
      debited_at_version: ours,
      snapshot_at: 'as it is',
      snapshot_status: 'as it is',
      snapshot_attempt: 'as it is',
      snapshot_content: 'as it is',
      announced_at: 'as it is',
      reason_sealed: sealed(places.providerReason, { row: 'handle' }),
      checks: ours,
      check_at: ours,
      callback_secret_id: ours,
      created_at: 'as it is',
    },
  },
  conversion_quotes: {
    about: 'Prices taken from the provider for the second half of a conversion, or for its way back.',
    isTheirOwn: false,
    columns: {
      provider_quote_id: 'as it is',
      user_id,
      payment_id: 'as it is',
      leg: 'as it is',
      life_ms: 'as it is',
      is_consumed: 'as it is',
      created_at: 'as it is',
    },
  },
  discrepancies: {
    about: 'What the provider said that did not agree with what was known, and what was found out about it.',
    isTheirOwn: false,
    columns: {
      id: 'as it is',
      user_id,
      subject_kind: 'as it is',
      subject_id: 'as it is',
      handle: 'as it is',
      kind: 'as it is',
      fingerprint: ours,
      provider_ref: 'as it is',
      event: 'as it is',
      event_data: 'as it is',
      state: 'as it is',
      snapshot_at: 'as it is',
      cause_kind: 'as it is',
      cause_id: {
        leftOutBecause: 'It may name one of our people; what is about the person is in the other sections.',
      },
      at: 'as it is',
      resolved_at: 'as it is',
      resolution: 'as it is',
    },
  },
  webhook_events: {
    about:
      'What the provider told us about the person’s payments, accounts and deposits. The content is removed 90 days after it was processed.',
    isTheirOwn: false,
    columns: {
      id: 'as it is',
      provider: 'as it is',
      external_id: 'as it is',
      event_type: 'as it is',
      payload_sealed: {
        sealedAt: (row) => places.webhookPayload(text(row, 'id'), row['received_at'] as Date),
      },
      status: 'as it is',
      outcome: 'as it is',
      attempts: 'as it is',
      transaction_id: 'as it is',
      received_at: 'as it is',
      processed_at: 'as it is',
    },
  },
  idempotency_keys: {
    about: 'Keys under which the app may repeat a request without doing it twice.',
    isTheirOwn: false,
    columns: {
      user_id,
      operation: 'as it is',
      key: 'as it is',
      request_hash: { leftOutBecause: 'The hash of a request whose content is in the other sections.' },
      resource_id: 'as it is',
      created_at: 'as it is',
    },
  },
  audit_events: {
    about: 'Who looked at, or tried to reach, what is about the person, and what was changed by hand.',
    isTheirOwn: false,
    columns: {
      id: 'as it is',
      seq: ours,
      previous_hash: ours,
      hash: ours,
      at: 'as it is',
      action: 'as it is',
      user_id,
      request_id: 'as it is',
      details: { without: ['operator'], because: 'The names of our people are theirs.' },
    },
  },
};

/** Personal, and in no export. */
export const withheld: Record<Exclude<PersonalTable, keyof typeof sections>, string> = {
  data_keys:
    'The key that seals the person’s values here: a secret of the service. What it seals is shown opened.',
};

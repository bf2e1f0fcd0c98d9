// The export's description of each table with personal data: in words, and column by column. A new column does not
// compile until it is listed here.
import type { Tables } from '../entities/index.ts';
import { encryptionContexts, type RowVersion } from '../sealing/encryption-contexts.ts';
import type { EncryptionContext } from '../sealing/envelope.ts';
import type { Exported, Row } from './export-values.ts';
import type { PersonalTable } from './personal-data-map.ts';

type Section<Table extends PersonalTable> = {
  about: string;
  /** What the person provided or did: that is what they may take elsewhere. */
  isTheirOwn: boolean;
  columns: Record<keyof Tables[Table] & string, Exported>;
};

const text = (row: Row, column: string): string => String(row[column]);

/** A value that is written once, sealed with the person's key under the row's id or another of its columns. */
const sealed = (
  context: (userId: string, row: string) => EncryptionContext,
  { owner = 'user_id', row = 'id' } = {},
): Exported => ({
  sealedAt: (one) => context(text(one, owner), text(one, row)),
});

/** A value that may be replaced, bound to the version in another column of its row. */
const sealedIn = (
  context: (userId: string, row: string, version: RowVersion) => EncryptionContext,
  { row = 'id', version }: { row?: string; version: string },
): Exported => ({
  sealedAt: (one) => context(text(one, 'user_id'), text(one, row), one[version] as RowVersion),
});

const ours: Exported = { leftOutBecause: 'It counts our own steps and says nothing about a person.' };
const user_id = 'verbatim';

/** In the order of the export. */
export const sections: { [Table in Exclude<PersonalTable, 'data_keys'>]: Section<Table> } = {
  users: {
    about:
      'The account: how the person signs in, what they are called here, and when it was made and closed.',
    isTheirOwn: true,
    columns: {
      id: 'verbatim',
      auth_provider: 'verbatim',
      auth_subject: 'verbatim',
      email_sealed: sealed(encryptionContexts.email, { owner: 'id' }),
      display_name: 'verbatim',
      home_currency: 'verbatim',
      balance_minor: { minorUnitsIn: 'home_currency' },
      balance_read_at: 'verbatim',
      balance_version: ours,
      closed_at: 'verbatim',
      hard_deletion_due_at: 'verbatim',
      created_at: 'verbatim',
    },
  },
  identity_users: {
    about: 'By what the identity provider knows the person: signing in finds the account by it.',
    isTheirOwn: false,
    columns: { auth_provider: 'verbatim', auth_subject: 'verbatim', user_id },
  },
  kyc_verifications: {
    about: 'The identity verification, with the name and the e-mail address that were verified.',
    isTheirOwn: true,
    columns: {
      id: 'verbatim',
      user_id,
      state: 'verbatim',
      seq: ours,
      state_entered_at: 'verbatim',
      level: 'verbatim',
      identity_sealed: sealedIn(encryptionContexts.identity, { version: 'identity_sealed_at' }),
      identity_sealed_at: ours,
      completed_at: 'verbatim',
      created_at: 'verbatim',
      updated_at: 'verbatim',
    },
  },
  provider_accounts: {
    about: 'The accounts opened for the person at the banking provider, and where to send deposits to.',
    isTheirOwn: false,
    columns: {
      id: 'verbatim',
      user_id,
      currency: 'verbatim',
      state: 'verbatim',
      seq: ours,
      state_entered_at: 'verbatim',
      provider_account_id: 'verbatim',
      movements_cursor: ours,
      deposit_instructions_sealed: sealedIn(encryptionContexts.depositInstructions, {
        version: 'deposit_instructions_sealed_at',
      }),
      deposit_instructions_sealed_at: ours,
      created_at: 'verbatim',
      updated_at: 'verbatim',
    },
  },
  bank_details: {
    about: 'The bank accounts that the person saved to withdraw to, and what checking them came to.',
    isTheirOwn: true,
    columns: {
      id: 'verbatim',
      user_id,
      currency: 'verbatim',
      details_sealed: sealedIn(encryptionContexts.bankDetails, { row: 'currency', version: 'version' }),
      version: 'verbatim',
      validation_status: 'verbatim',
      validated_at: 'verbatim',
      created_at: 'verbatim',
      updated_at: 'verbatim',
    },
  },
  transactions: {
    about: 'Every deposit, payment and withdrawal, as it is listed in the app.',
    isTheirOwn: true,
    columns: {
      id: 'verbatim',
      user_id,
      type: 'verbatim',
      status: 'verbatim',
      source_currency: 'verbatim',
      source_amount_minor: { minorUnitsIn: 'source_currency' },
      dest_currency: 'verbatim',
      dest_amount_minor: { minorUnitsIn: 'dest_currency' },
      fx_rate: 'verbatim',
      provider: 'verbatim',
      provider_ref: 'verbatim',
      source_reference_sealed: sealed(encryptionContexts.sourceReference),
      failure: 'verbatim',
      created_at: 'verbatim',
      completed_at: 'verbatim',
    },
  },
  pix_payments: {
    about: 'The PIX payments: to which key and to whom, at what price, and what became of them.',
    isTheirOwn: true,
    columns: {
      id: 'verbatim',
      user_id,
      transaction_id: 'verbatim',
      quote_id: 'verbatim',
      state: 'verbatim',
      seq: ours,
      state_entered_at: 'verbatim',
      flow: 'verbatim',
      amount_brl_minor: { minorUnitsOf: 'BRL' },
      source_currency: 'verbatim',
      source_amount_minor: { minorUnitsIn: 'source_currency' },
      usdc_quoted_minor: { minorUnitsOf: 'USDC' },
      exchange_rate: 'verbatim',
      pix_key_type: 'verbatim',
      pix_key_sealed: sealed(encryptionContexts.pixKey),
      recipient_name_sealed: sealed(encryptionContexts.recipientName),
      home_debit_minor: { minorUnitsIn: 'source_currency' },
      usdc_delivered_minor: { minorUnitsOf: 'USDC' },
      usdc_residual_minor: { minorUnitsOf: 'USDC' },
      payout_attempt: 'verbatim',
      end_to_end_id: 'verbatim',
      voucher_id: 'verbatim',
      failure: 'verbatim',
      acknowledged_seq: ours,
      acknowledged_at: 'verbatim',
      acknowledgement: 'verbatim',
      expires_at: 'verbatim',
      created_at: 'verbatim',
      updated_at: 'verbatim',
    },
  },
  pix_quotes: {
    about: 'The prices that the person asked for.',
    isTheirOwn: true,
    columns: {
      id: 'verbatim',
      user_id,
      flow: 'verbatim',
      amount_brl_minor: { minorUnitsOf: 'BRL' },
      source_currency: 'verbatim',
      source_amount_minor: { minorUnitsIn: 'source_currency' },
      usdc_quoted_minor: { minorUnitsOf: 'USDC' },
      rate: 'verbatim',
      service_spread_bps: 'verbatim',
      provider_quote_id: 'verbatim',
      provider_life_ms: ours,
      expires_at: 'verbatim',
      created_at: 'verbatim',
    },
  },
  withdraws: {
    about: 'The withdrawals, with the bank account as it was when each was accepted.',
    isTheirOwn: true,
    columns: {
      id: 'verbatim',
      user_id,
      state: 'verbatim',
      seq: ours,
      state_entered_at: 'verbatim',
      currency: 'verbatim',
      amount_minor: { minorUnitsIn: 'currency' },
      rail: 'verbatim',
      bank_details_id: 'verbatim',
      bank_details_version: 'verbatim',
      destination_sealed: sealed(encryptionContexts.withdrawDestination),
      expected_settlement_seconds: 'verbatim',
      failure: 'verbatim',
      created_at: 'verbatim',
      updated_at: 'verbatim',
    },
  },
  data_requests: {
    about: 'What the person asked for under data protection law, with their own words.',
    isTheirOwn: true,
    columns: {
      id: 'verbatim',
      user_id,
      type: 'verbatim',
      status: 'verbatim',
      notes_sealed: sealed(encryptionContexts.requestNotes),
      received_at: 'verbatim',
      due_at: 'verbatim',
      closed_at: 'verbatim',
    },
  },
  transitions: {
    about:
      'The history: each change of state of a payment, withdrawal, account or verification, and what caused it. Amounts are in minor units, named in the event.',
    isTheirOwn: false,
    columns: {
      subject_kind: 'verbatim',
      subject_id: 'verbatim',
      seq: 'verbatim',
      user_id,
      from_state: 'verbatim',
      to_state: 'verbatim',
      event: 'verbatim',
      event_data: 'verbatim',
      cause_kind: 'verbatim',
      cause_id: {
        leftOutBecause: 'It may name one of our people; what is about the person is in the other sections.',
      },
      occurred_at: 'verbatim',
    },
  },
  effects: {
    about: 'Work that was ordered for the person: conversions, payouts, accounts, checks of bank details.',
    isTheirOwn: false,
    columns: {
      id: 'verbatim',
      user_id,
      subject_kind: 'verbatim',
      subject_id: 'verbatim',
      seq: 'verbatim',
      type: 'verbatim',
      params: 'verbatim',
      status: 'verbatim',
      attempts: 'verbatim',
      last_error: 'verbatim',
      due_at: 'verbatim',
      leased_by: ours,
      lease_token: ours,
      urgent_until: 'verbatim',
      last_unknown_at: 'verbatim',
      held_refusal: 'verbatim',
      paused_ms: ours,
      created_at: 'verbatim',
      finished_at: 'verbatim',
    },
  },
  provider_resources: {
    about: 'What exists at the banking provider for the person, and what it said when something went wrong.',
    isTheirOwn: false,
    columns: {
      handle: 'verbatim',
      kind: 'verbatim',
      user_id,
      subject_kind: 'verbatim',
      subject_id: 'verbatim',
      leg: 'verbatim',
      provider_ref: 'verbatim',
      debited_balance_version: ours,
      snapshot_updated_at: 'verbatim',
      snapshot_status: 'verbatim',
      snapshot_attempt: 'verbatim',
      snapshot_content: 'verbatim',
      announced_at: 'verbatim',
      reason_sealed: sealedIn(encryptionContexts.providerReason, {
        row: 'handle',
        version: 'reason_sealed_at',
      }),
      reason_sealed_at: ours,
      poll_count: ours,
      poll_failures: ours,
      next_poll_at: ours,
      leased_by: ours,
      lease_token: ours,
      callback_secret_id: ours,
      created_at: 'verbatim',
    },
  },
  provider_object_users: {
    about:
      'The provider’s numbers of the person’s identity, accounts and deposits, kept so that they are nobody else’s.',
    isTheirOwn: false,
    columns: { provider_ref: 'verbatim', kind: 'verbatim', user_id },
  },
  conversion_quotes: {
    about: 'Prices taken from the provider for the second half of a conversion, or for its way back.',
    isTheirOwn: false,
    columns: {
      provider_quote_id: 'verbatim',
      user_id,
      payment_id: 'verbatim',
      leg: 'verbatim',
      life_ms: 'verbatim',
      is_consumed: 'verbatim',
      created_at: 'verbatim',
    },
  },
  discrepancies: {
    about: 'What the provider said that did not agree with what was known, and what was found out about it.',
    isTheirOwn: false,
    columns: {
      id: 'verbatim',
      user_id,
      subject_kind: 'verbatim',
      subject_id: 'verbatim',
      handle: 'verbatim',
      kind: 'verbatim',
      fingerprint: ours,
      provider_ref: 'verbatim',
      event: 'verbatim',
      event_data: 'verbatim',
      state: 'verbatim',
      snapshot_updated_at: 'verbatim',
      cause_kind: 'verbatim',
      cause_id: {
        leftOutBecause: 'It may name one of our people; what is about the person is in the other sections.',
      },
      occurred_at: 'verbatim',
      resolved_at: 'verbatim',
      resolution: 'verbatim',
    },
  },
  webhook_events: {
    about:
      'What the provider told us about the person’s payments, accounts and deposits. The content is removed 90 days after it was processed. Messages that changed nothing here are not linked to a person, so they are not in this list.',
    isTheirOwn: false,
    columns: {
      id: 'verbatim',
      provider: 'verbatim',
      external_id: 'verbatim',
      event_type: 'verbatim',
      payload_sealed: {
        sealedAt: (row) => encryptionContexts.webhookPayload(text(row, 'id'), row['received_at'] as Date),
      },
      status: 'verbatim',
      outcome: 'verbatim',
      attempts: 'verbatim',
      due_at: 'verbatim',
      leased_by: ours,
      lease_token: ours,
      user_id,
      transaction_id: 'verbatim',
      received_at: 'verbatim',
      processed_at: 'verbatim',
    },
  },
  idempotency_keys: {
    about: 'Keys under which the app may repeat a request without doing it twice.',
    isTheirOwn: false,
    columns: {
      user_id,
      operation: 'verbatim',
      key: 'verbatim',
      request_hash: { leftOutBecause: 'The hash of a request whose content is in the other sections.' },
      resource_id: 'verbatim',
      created_at: 'verbatim',
    },
  },
  audit_events: {
    about: 'Who read, or tried to read, what is about the person, and what was changed by hand.',
    isTheirOwn: false,
    columns: {
      id: 'verbatim',
      seq: ours,
      previous_hash: ours,
      hash: ours,
      occurred_at: 'verbatim',
      recorded_at: 'verbatim',
      action: 'verbatim',
      user_id,
      request_id: 'verbatim',
      details: { without: ['operator'], because: 'The names of our people are theirs.' },
    },
  },
};

/** Personal, and in no export. */
export const withheld: Record<Exclude<PersonalTable, keyof typeof sections>, string> = {
  data_keys:
    'The key that seals the person’s values here: a secret of the service. What it seals is shown opened.',
};

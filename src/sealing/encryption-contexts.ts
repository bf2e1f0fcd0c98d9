// The encryption contexts of every sealed column: the column, its row and the user whose key seals it.
import type { EncryptionContext } from './envelope.ts';

const column =
  (table: string, name: string) =>
  (userId: string, row: string): EncryptionContext => ({ table, column: name, row, scope: userId });

export const encryptionContexts = {
  email: column('users', 'email_sealed'),
  identity: column('kyc_verifications', 'identity_sealed'),
  depositInstructions: column('provider_accounts', 'deposit_instructions_sealed'),
  /** A user has one for each currency, so the currency is the row. */
  bankDetails: column('bank_details', 'details_sealed'),
  pixKey: column('pix_payments', 'pix_key_sealed'),
  recipientName: column('pix_payments', 'recipient_name_sealed'),
  providerReason: column('provider_resources', 'reason_sealed'),
  withdrawDestination: column('withdraws', 'destination_sealed'),
  sourceReference: column('transactions', 'source_reference_sealed'),
  requestNotes: column('data_requests', 'notes_sealed'),
  /** Payloads arrive without a user: a key for each month seals them. */
  webhookPayload: (eventId: string, receivedAt: Date): EncryptionContext => ({
    table: 'webhook_events',
    column: 'payload_sealed',
    row: eventId,
    scope: monthScope(receivedAt),
  }),
};

/** The scope of the data key that seals the payloads of a month. */
export const monthScope = (month: Date): string => `webhooks-${month.toISOString().slice(0, 7)}`;

/** Whether a scope is a month of callbacks. Every other scope is a user's id. */
export const isMonthScope = (scope: string): boolean => /^webhooks-\d{4}-\d{2}$/.test(scope);

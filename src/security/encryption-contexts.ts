// Creates the encryption contexts of every sealed column: the column, its row, the user whose key seals it, and the row's version.
import type { Tables } from '../tables/entities.ts';
import type { EncryptionContext } from './envelope.ts';

/**
 * The name of a sealed column, as `table.column`. A payload that moves to `webhook_payloads` stays bound to `webhook_events`, so that
 * column has no context.
 */
export type SealedColumn = Exclude<
  { [Table in keyof Tables]: `${Table}.${Extract<keyof Tables[Table], `${string}_sealed`>}` }[keyof Tables],
  'webhook_payloads.payload_sealed'
>;

/**
 * Whether the value of a column is written once in the life of its row or may be replaced. A value that may be replaced
 * is bound to a version of its row, so a former value of the same row does not open. A new sealed column does not
 * compile until it is listed here.
 */
const written = {
  'users.email_sealed': 'once',
  'kyc_verifications.identity_sealed': 'replaced',
  'provider_accounts.deposit_instructions_sealed': 'replaced',
  'bank_details.details_sealed': 'replaced',
  'name_checks.suggested_name_sealed': 'once',
  'pix_codes.pix_key_sealed': 'once',
  'pix_codes.recipient_name_sealed': 'once',
  'contestations.description_sealed': 'once',
  'pix_lookups.pix_key_sealed': 'once',
  'pix_lookups.recipient_name_sealed': 'once',
  'pix_lookups.recipient_tax_id_sealed': 'once',
  'pix_payments.pix_key_sealed': 'once',
  'pix_payments.recipient_name_sealed': 'once',
  'provider_resources.reason_sealed': 'replaced',
  'withdraws.destination_sealed': 'once',
  'transactions.source_reference_sealed': 'once',
  'data_requests.notes_sealed': 'once',
  'webhook_events.payload_sealed': 'once',
} as const satisfies Record<SealedColumn, 'once' | 'replaced'>;

type ColumnsWritten<How> = {
  [Column in SealedColumn]: (typeof written)[Column] extends How ? Column : never;
}[SealedColumn];

/** A column whose values may be replaced. */
export type ReplacedColumn = ColumnsWritten<'replaced'>;

/**
 * The number of saves of the row, or the time at which the value was sealed. Null if the value was sealed before rows had versions.
 */
export type RowVersion = number | Date | null;

/**
 * Returns the context of a value of any sealed column. The version of a value that is written once does not count.
 * @param scope a user's id, or a month of callbacks; see `monthScope`.
 */
export function contextOf(
  name: SealedColumn,
  scope: string,
  row: string,
  version: RowVersion,
): EncryptionContext {
  return { ...placeOf(name), row, scope, version: written[name] === 'once' ? null : Number(version ?? 0) };
}

function placeOf(name: SealedColumn): Pick<EncryptionContext, 'table' | 'column'> {
  const [table = '', column = ''] = name.split('.');
  return { table, column };
}

const once = (name: ColumnsWritten<'once'>) => {
  const place = placeOf(name);
  return (scope: string, row: string): EncryptionContext => ({ ...place, row, scope, version: null });
};

const replaced = (name: ReplacedColumn) => (userId: string, row: string, version: RowVersion) =>
  contextOf(name, userId, row, version);

const payload = once('webhook_events.payload_sealed');

export const encryptionContexts = {
  /** The first address that a token contains is kept until the account is closed. */
  email: once('users.email_sealed'),
  identity: replaced('kyc_verifications.identity_sealed'),
  depositInstructions: replaced('provider_accounts.deposit_instructions_sealed'),
  /** A user has one row per currency, so the currency identifies the row. */
  bankDetails: replaced('bank_details.details_sealed'),
  suggestedName: once('name_checks.suggested_name_sealed'),
  codeKey: once('pix_codes.pix_key_sealed'),
  codeName: once('pix_codes.recipient_name_sealed'),
  contestationDescription: once('contestations.description_sealed'),
  lookupKey: once('pix_lookups.pix_key_sealed'),
  lookupName: once('pix_lookups.recipient_name_sealed'),
  lookupTaxId: once('pix_lookups.recipient_tax_id_sealed'),
  pixKey: once('pix_payments.pix_key_sealed'),
  recipientName: once('pix_payments.recipient_name_sealed'),
  providerReason: replaced('provider_resources.reason_sealed'),
  withdrawDestination: once('withdraws.destination_sealed'),
  sourceReference: once('transactions.source_reference_sealed'),
  requestNotes: once('data_requests.notes_sealed'),
  /** Payloads arrive before their user is known, so a key per month seals them. */
  webhookPayload: (eventId: string, receivedAt: Date): EncryptionContext =>
    payload(monthScope(receivedAt), eventId),
};

/** Returns the scope of the data key that seals the payloads of a month. */
export const monthScope = (month: Date): string => `webhooks-${month.toISOString().slice(0, 7)}`;

/** Returns whether a scope is a month of callbacks. Every other scope is a user's id. */
export const isMonthScope = (scope: string): boolean => /^webhooks-\d{4}-\d{2}$/.test(scope);

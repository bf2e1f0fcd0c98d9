// The rows of the resources, as SQLite returns them.
import type { components } from '../../openapi/generated/provider.ts';

type Schemas = components['schemas'];

/** The tables that the provider writes, and their rows. */
export interface Rows {
  owners: OwnerRow;
  accounts: AccountRow;
  transfers: TransferRow;
  payouts: PayoutRow;
  quotes: QuoteRow;
  movements: MovementRow;
}

export const RESOURCES = ['owners', 'accounts', 'transfers', 'payouts'] as const;
export type Resource = (typeof RESOURCES)[number];

/** The column of the handle under which a client created the resource. */
export const HANDLE = {
  owners: 'external_id',
  accounts: 'external_id',
  transfers: 'origin_id',
  payouts: 'origin_id',
} as const;

/** The columns of every resource with callbacks. */
export interface ResourceRow {
  seq: number;
  uuid: string;
  callback_url: string | null;
  updated_at: number;
}

export interface OwnerRow extends ResourceRow {
  external_id: string;
  content: string;
  status: Schemas['OwnerStatus'];
  level: Schemas['OwnerLevelOrNull'];
  verification_token: string | null;
  verification_expires_at: number | null;
  full_name: string | null;
  email: string | null;
  completed_at: number | null;
  attempt: number;
  failure_code: string | null;
}

export interface AccountRow extends ResourceRow {
  external_id: string;
  content: string;
  owner_uuid: string;
  currency: Schemas['Currency'];
  status: Schemas['AccountStatus'];
  account_number: string | null;
  sort_code: string | null;
  iban: string | null;
  bic: string | null;
}

export interface MovementRow {
  seq: number;
  uuid: string;
  account_uuid: string;
  direction: Schemas['MovementDirection'];
  kind: Schemas['MovementKind'];
  amount: number;
  currency: Schemas['Currency'];
  /** The handle of the conversion or payout, or the text of a deposit. */
  source_reference: string | null;
  /** The text that callers see instead of `source_reference`. Empty if they see none, null if they see it as it is. */
  named_as: string | null;
  created_at: number;
}

export interface QuoteRow {
  uuid: string;
  source_currency: Schemas['Currency'];
  source_amount: number;
  destination_currency: Schemas['Currency'];
  destination_amount: number;
  rate: string;
  markup_bps: number;
  margin_amount: number;
  subsidy_amount: number;
  expires_at: number;
  transfer_uuid: string | null;
}

export interface TransferRow extends ResourceRow {
  origin_id: string;
  content: string;
  quote_uuid: string;
  status: Schemas['InternalTransferStatus'];
  source_account_uuid: string;
  destination_account_uuid: string;
  source_amount: number;
  destination_amount: number;
  rate: string;
  failure_reason: string | null;
}

export interface PayoutRow extends ResourceRow {
  origin_id: string;
  content: string;
  attempt: number;
  status: Schemas['PayoutStatus'];
  source_account_uuid: string;
  amount: number;
  /** The debit of this attempt: the amount, or the available balance for an uncovered twin. */
  debited: number;
  currency: Schemas['Currency'];
  rail: Schemas['Rail'];
  destination: string;
  end_to_end_id: string | null;
  voucher_id: string | null;
  failure_reason: string | null;
  failure_code: string | null;
  failure_limit: string | null;
  /** ISO text. */
  retry_from: string | null;
  lookup_uuid: string | null;
  br_code_uuid: string | null;
  /** The charge of the code. Null without a code, and for a static one. */
  charge_uuid: string | null;
  /** The parts that came back, as JSON. Null if nothing came back. */
  refunds: string | null;
}

export interface ContestationRow {
  uuid: string;
  payout_uuid: string;
  origin_id: string;
  content: string;
  reason: Schemas['ContestationCreate']['reason'];
  status: Schemas['ContestationStatus'];
  refunded_amount: number;
  resolved_at: number | null;
  updated_at: number;
}

/** A look-up that found the owner of a key. */
export interface PixKeyLookupRow {
  uuid: string;
  /** The customer who asked. */
  owner_uuid: string;
  pix_key: string;
  pix_key_type: Schemas['PixKeyType'];
  recipient_name: string;
  recipient_tax_id: string;
  institution_name: string;
  created_at: number;
}

/** What a dynamic code asks to be paid. */
export interface ChargeRow {
  uuid: string;
  /** The address in its code, without the scheme. */
  address: string;
  pix_key: string;
  pix_key_type: Schemas['PixKeyType'];
  recipient_name: string;
  institution_name: string;
  amount: number | null;
  /** 1 or 0. */
  amount_is_fixed: number;
  expires_at: number | null;
  created_at: number;
}

/** A code that was read. */
export interface BrCodeRow extends Omit<ChargeRow, 'address'> {
  /** The customer who asked. */
  owner_uuid: string;
  /** Null if the code is static. */
  charge_uuid: string | null;
}

/** An injected fault and its resource. The chaos run's auditor reads it. */
export interface InjectedFaultRow {
  id: number;
  /** The name of the fault's counter, such as `provider.receivedLate`. */
  kind: string;
  resource_uuid: string | null;
  /** The handle: `origin_id`, or `external_id` for owners and accounts. */
  origin_id: string | null;
  at: number;
  /** The details as JSON. */
  details: string;
}

/** A request whose connection broke. Until it is received, the columns of its result are null. */
export interface LateRequestRow {
  id: number;
  fault_id: number;
  operation: string;
  /** The path parameters, query and body as JSON. */
  request: string;
  sent_at: number;
  due_at: number;
  received_at: number | null;
  status: number | null;
  /** The reply as JSON. It was not sent. */
  reply: string | null;
}

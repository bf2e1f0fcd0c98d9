// The service's rows that the auditor reads, as `pg` returns them. Amounts are minor units.
import type { Leg } from './rules/handles.ts';
import type { SubjectKind } from './rules/states.ts';

export type User = {
  id: string;
  home_currency: string | null;
  balance_minor: number | null;
  balance_read_at: Date | null;
};
export type Verification = { id: string; user_id: string; state: string; seq: number };
export type Account = {
  id: string;
  user_id: string;
  currency: string;
  state: string;
  seq: number;
  provider_account_id: string | null;
};
export type BankDetails = {
  id: string;
  user_id: string;
  currency: string;
  version: number;
  created_at: Date;
};
export type Transaction = {
  id: string;
  user_id: string;
  type: 'deposit' | 'payment' | 'withdraw';
  status: string;
  source_currency: string;
  source_amount_minor: number;
  dest_currency: string | null;
  dest_amount_minor: number | null;
  /** A decimal number as text. */
  fx_rate: string | null;
  provider: string;
  provider_ref: string | null;
  failure: string | null;
  created_at: Date;
  completed_at: Date | null;
};
export type Payment = {
  id: string;
  user_id: string;
  transaction_id: string;
  quote_id: string;
  state: string;
  seq: number;
  flow: 'direct' | 'two_hop';
  amount_brl_minor: number;
  source_currency: string;
  source_amount_minor: number;
  /** A decimal number as text. */
  exchange_rate: string;
  pix_key_type: string;
  home_debit_minor: number | null;
  brl_residual_minor: number | null;
  settled_at: Date | null;
  end_to_end_id: string | null;
  voucher_id: string | null;
  failure: string | null;
  payout_failure_code: string | null;
  payout_failure_limit: string | null;
  expires_at: Date;
  created_at: Date;
};
export type Quote = {
  id: string;
  user_id: string;
  flow: 'direct' | 'two_hop';
  provider_quote_id: string;
  source_amount_minor: number;
  expires_at: Date;
  created_at: Date;
};
export type Withdraw = {
  id: string;
  user_id: string;
  state: string;
  seq: number;
  currency: string;
  amount_minor: number;
  failure: string | null;
  created_at: Date;
};
export type Contestation = { id: string; user_id: string; state: string; seq: number; payment_id: string };
/** A part of a completed payment that came back. */
export type Refund = {
  id: string;
  user_id: string;
  state: string;
  seq: number;
  payment_id: string;
  movement_ref: string;
  amount_brl_minor: number;
  home_currency: string;
  attempt: number;
  home_credit_minor: number | null;
};
export type Transition = {
  subject_kind: SubjectKind;
  subject_id: string;
  seq: number;
  from_state: string | null;
  to_state: string;
  event: string;
  event_data: Record<string, unknown>;
  cause_kind: string;
  at: Date;
};
export type EffectRow = {
  subject_id: string;
  seq: number;
  type: string;
  params: Record<string, unknown> | null;
  status: string;
  attempts: number;
  last_error: string | null;
};
export type Resource = {
  handle: string;
  kind: 'owner' | 'account' | 'transfer' | 'payout' | 'contestation';
  user_id: string;
  subject_kind: SubjectKind;
  subject_id: string;
  leg: Leg | null;
  provider_ref: string | null;
};
export type Callback = {
  id: string;
  /** In hex. */
  identity: string;
  event_type: string;
  status: string;
  attempts: number;
  /** How often its payload is stored: with the callback, or in the table of its day. */
  payloads: number;
};
/** An object in one of the provider's lists that could not be read, or a list that did not end. */
export type ListFinding = {
  kind: string;
  list: string;
  provider_ref: string | null;
  resolved_at: Date | null;
  resolution: string | null;
};
/** An unfinished row of the outbox. */
export type Work = { id: string; what: string; attempts: number; is_leased: boolean };

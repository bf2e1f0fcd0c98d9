-- The types that columns of several tables have.

create type auth_provider as enum ('identity_provider_a', 'identity_provider_b');
create type cause_kind as enum ('request', 'webhook', 'job', 'operator');
create type failure_code as enum (
  'insufficient_funds',
  'quote_expired',
  'conversion_failed',
  'account_not_active',
  'amount_mismatch',
  'payout_failed',
  'recipient_unknown',
  'payout_returned',
  'refunded',
  'withdraw_failed',
  'withdraw_returned',
  'under_review',
  'provider_rejected'
);
create type home_currency as enum ('GBP', 'EUR');
create type payment_flow as enum ('direct', 'two_hop');
create type subject_kind as enum ('kyc', 'provider_account', 'pix_payment', 'withdraw');

// The rows of the sandbox's store that the auditor reads. Amounts are minor units. Times are milliseconds since 1970.

export type OwnerRow = { uuid: string; external_id: string; status: string };
export type AccountRow = { uuid: string; external_id: string; currency: string; status: string };
export type MovementRow = {
  seq: number;
  uuid: string;
  account_uuid: string;
  direction: 'CREDIT' | 'DEBIT';
  kind: string;
  amount: number;
  currency: string;
  /** The handle of the order behind the movement, if there is one. */
  source_reference: string | null;
  created_at: number;
};
export type QuoteRow = {
  uuid: string;
  source_currency: string;
  margin_amount: number;
  subsidy_amount: number;
};
export type TransferRow = {
  uuid: string;
  origin_id: string;
  quote_uuid: string;
  status: 'PENDING' | 'COMPLETED' | 'FAILED';
  source_account_uuid: string;
  destination_account_uuid: string;
  source_amount: number;
  destination_amount: number;
};
export type PayoutRow = {
  uuid: string;
  origin_id: string;
  attempt: number;
  status: 'PENDING' | 'COMPLETED' | 'FAILED' | 'ERROR' | 'REFUNDED';
  amount: number;
  currency: string;
  rail: string;
  /** The recipient, as JSON. */
  destination: string;
  /** The charge of a PIX code that the payout pays. Null if it pays none. */
  charge_uuid: string | null;
  end_to_end_id: string | null;
  /** The parts that came back, as JSON. Null if nothing came back. */
  refunds: string | null;
};
export type ContestationRow = { uuid: string; origin_id: string; payout_uuid: string; status: string };

/** The parts of a payout that came back, by their movements. */
export const refundsIn = ({ refunds }: PayoutRow): { movement: string; amount: number }[] =>
  JSON.parse(refunds ?? '[]') as { movement: string; amount: number }[];
/**
 * The amount that left the provider when a payout arrived, or (below zero) that was returned afterwards, as its ledger booked it.
 */
export type OutgoingRow = { handle: string; currency: string; amount: number; created_at: number };
export type Balance = { name: string; currency: string; balance: number };
/** An injected fault and its object. Both object fields are null if the fault concerns no single object. */
export type InjectedFault = {
  kind: string;
  resource_uuid: string | null;
  origin_id: string | null;
  at: number;
};

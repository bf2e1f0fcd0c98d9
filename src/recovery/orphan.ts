// What exists at the provider without a row here, as a person is shown it. No key, no name, no account number.
import type { Currency } from '../domain/currency.ts';

/** One thing at the provider that an orphan is made of. */
export type OrphanPart = {
  kind: 'transfer' | 'payout' | 'owner' | 'account';
  /** What it was for, as far as can be told: `direct`, `leg1`, `leg2`, `reverse`, `payout`, `withdraw` ... */
  purpose: string;
  providerRef: string;
  handle: string;
  status: string;
};

/** A story whose row was lost: a payment's or a withdrawal's resources, or a user's verification or home account. */
export type Orphan = {
  kind: 'payment' | 'withdraw' | 'owner' | 'home_account' | 'unknown';
  /** Of its first part. */
  providerRef: string;
  handle: string;
  /** When the provider last changed it. */
  at: Date;
  /** What left, in minor units of `currency`; null where nothing did. */
  amountMinor: number | null;
  currency: Currency | null;
  parts: OrphanPart[];
  match: OrphanMatch;
};

export type OrphanMatch = {
  /** Whose it is, as far as can be told. */
  userId: string | null;
  /** The row's id before it was lost, where one of the known ids fits; else it gets a new one. */
  id: string | null;
  /** What `adopt` makes of it: the state of the row, or `restored` for verifications and accounts. Null: nothing, see `why`. */
  becomes: string | null;
  why: string | null;
};

export type OrphanOptions = {
  /** Ids that were lost and are known from elsewhere (an access log, a user's screen): then the row gets its id back. */
  knownIds?: string[];
  onProgress?: (progress: { stage: string; seen: number }) => void;
  signal?: AbortSignal;
};

export type Adopted = {
  /** The row made, or null when nothing was. */
  id: string | null;
  state: string | null;
  why: string | null;
};

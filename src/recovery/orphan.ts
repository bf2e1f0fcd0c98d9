// The presentation of orphaned objects to operators. No key, no name, no account number.
import type { Currency } from '../domain/currency.ts';

/** One object at the provider that an orphan consists of. */
export type OrphanPart = {
  kind: 'transfer' | 'payout' | 'owner' | 'account';
  /** Its purpose, as far as it can be inferred: `direct`, `leg1`, `leg2`, `reverse`, `payout`, `withdraw` ... */
  purpose: string;
  providerRef: string;
  handle: string;
  status: string;
};

/** The objects of one lost row: a payment's or a withdrawal's resources, or a user's verification or home account. */
export type Orphan = {
  kind: 'payment' | 'withdraw' | 'owner' | 'home_account' | 'unknown';
  /** Of its first part. */
  providerRef: string;
  handle: string;
  /** When the provider last changed it. */
  at: Date;
  /** The debit, in minor units of `currency`; null where there was none. */
  amountMinor: number | null;
  currency: Currency | null;
  parts: OrphanPart[];
  match: OrphanMatch;
};

export type OrphanMatch = {
  /** Its owner, as far as it can be inferred. */
  userId: string | null;
  /** The row's id before it was lost, where one of the known ids fits; else it gets a new one. */
  id: string | null;
  /** The result of `adopt`: the state of the row, or `restored` for verifications and accounts. Null: nothing, see `why`. */
  becomes: string | null;
  why: string | null;
};

export type OrphanOptions = {
  /** Lost ids that are known from elsewhere (an access log, a user's screen): then the row gets its id back. */
  knownIds?: string[];
  onProgress?: (progress: { stage: string; seen: number }) => void;
  /** Called for each object that is not listed because it cannot be read, and for a list that does not end. */
  onUnlisted?: (unlisted: Unlisted) => void;
  signal?: AbortSignal;
};

/** `providerRef`: null for an object without a uuid, and for the rest of a list. */
export type Unlisted = { list: 'transfers' | 'payouts'; providerRef: string | null; why: string };

export type Adopted = {
  /** The row made, or null when nothing was. */
  id: string | null;
  state: string | null;
  why: string | null;
};

// The types in which orphaned objects are shown to operators. They have no PIX key, no name and no account number.

import type { Currency } from '../../src/domain/currency.ts';
import type { Provider } from '../../src/provider/port.ts';
import type { ApplyServices } from '../../src/reports/apply-reported.ts';

export type RecoveryServices = ApplyServices & {
  provider: Provider;
  config: { serviceSpreadBps: number };
};

/** One of the objects at the provider that an orphan consists of. */
export type OrphanPart = {
  kind: 'transfer' | 'payout' | 'owner' | 'account';
  /**
   * The purpose of the object, as far as it can be inferred: a leg, `payout`, `withdraw`, `verification` or an account's currency.
   * Otherwise its kind.
   */
  purpose: string;
  providerRef: string;
  handle: string;
  status: string;
};

/** The objects of one lost row: the resources of a payment or withdrawal, or the verification or home account of a user. */
export type Orphan = {
  kind: 'payment' | 'withdraw' | 'owner' | 'home_account' | 'unknown';
  /** The provider's id of the first part. */
  providerRef: string;
  /** The handle of the first part. */
  handle: string;
  /** When the provider last changed the first part. */
  at: Date;
  /** The debit, in minor units of `currency`; null if there was none. */
  amountMinor: number | null;
  currency: Currency | null;
  parts: OrphanPart[];
  match: OrphanMatch;
};

export type OrphanMatch = {
  /** The user that the orphan belongs to, if it can be inferred. */
  userId: string | null;
  /** The original id of the lost row if one of the known ids fits, or null: the row then gets a new id. */
  id: string | null;
  /** The state that `adopt` gives the row, or `restored` for verifications and accounts. Null if it adopts nothing: see `why`. */
  becomes: string | null;
  why: string | null;
};

export type OrphanOptions = {
  /** Ids of lost rows that are known from elsewhere (an access log, a user's screen). Their rows get their original ids. */
  knownIds?: string[];
  onProgress?: (progress: { stage: string; objects: number }) => void;
  /** Called for each object that is not listed because it cannot be read, and for a list that does not end. */
  onUnlisted?: (unlisted: Unlisted) => void;
  signal?: AbortSignal;
};

/** A part of a list that cannot be shown. `providerRef` is null for an object without a uuid, and for the rest of a list. */
export type Unlisted = { list: 'transfers' | 'payouts'; providerRef: string | null; why: string };

export type Adopted = {
  /** The id of the created row, or null if none was created. */
  id: string | null;
  state: string | null;
  why: string | null;
};

// What the service requires of a banking provider, in its own terms and units. Nothing here depends on the wire.
import type { BankDetails } from '../domain/bank-details.ts';
import type { Currency, HomeCurrency, Places } from '../domain/currency.ts';
import type { PixKeyType } from '../domain/pix-key.ts';
import type { Priority } from './call-priority.ts';

/** A resource as it was at one moment. Amounts in minor units; `updatedAt` orders the snapshots of one resource. */
export type Snapshot = OwnerSnapshot | AccountSnapshot | TransferSnapshot | PayoutSnapshot;

type Resource<Kind extends string> = { kind: Kind; handle: string; providerRef: string; updatedAt: Date };

export type OwnerSnapshot = Resource<'owner'> & {
  status: 'pending' | 'completed' | 'failed';
  level: 'basic' | 'standard' | 'enhanced' | null;
  verificationUrl: string | null;
  verificationUrlExpiresAt: Date | null;
  fullName: string | null;
  email: string | null;
  completedAt: Date | null;
};

export type AccountSnapshot = Resource<'account'> & {
  currency: Currency;
  status: 'provisioning' | 'active';
  balanceMinor: number;
  depositInstructions: BankDetails | null;
};

export type TransferSnapshot = Resource<'transfer'> & {
  status: 'pending' | 'completed' | 'failed';
  sourceAccountRef: string;
  destinationAccountRef: string;
  sourceAmountMinor: number;
  destinationAmountMinor: number;
  /** A transfer names no currency. Its amounts are read by their decimal places, which the accounts must confirm. */
  sourcePlaces: Places;
  destinationPlaces: Places;
  rate: string;
  failureReason: string | null;
};

export type PayoutSnapshot = Resource<'payout'> & {
  status: 'pending' | 'completed' | 'failed' | 'refunded';
  attempt: number;
  sourceAccountRef: string;
  /** Personal: never for a log. */
  destination: PayoutDestination;
  amountMinor: number;
  currency: Currency;
  endToEndId: string | null;
  voucherId: string | null;
  failureReason: string | null;
};

/**
 * The result of a look-up by a handle. Where the provider has several objects under it, the first one carries the
 * others.
 */
export type Found<One extends Snapshot> = One & { others?: One[] };

/** A change of an account's balance. Immutable once it exists. */
export type Movement = {
  kind: 'movement';
  providerRef: string;
  accountRef: string;
  direction: 'credit' | 'debit';
  purpose: 'deposit' | 'internal_transfer' | 'payout' | 'payout_refund';
  amountMinor: number;
  currency: Currency;
  /** The payer's own text. Personal: never for a log. */
  sourceReference: string | null;
  createdAt: Date;
};

/** `rate` is destination for one of source, without the markup; the source amount includes it. */
export type ProviderQuote = {
  providerRef: string;
  sourceAmountMinor: number;
  destinationAmountMinor: number;
  rate: string;
  /** How long it holds from its receipt, in milliseconds, as the provider states it. */
  lifeMs: number;
};

/** Exactly one side is fixed; the provider computes the other. */
export type QuoteRequest = { sourceCurrency: Currency; destinationCurrency: Currency } & (
  | { sourceAmountMinor: number; markupBps?: number }
  | {
      destinationAmountMinor: number;
      markupBps?: number;
      /** The company pays what the market charges beyond this, up to the cap. */
      subsidy?: { maxSourceAmountMinor: number; capBps: number };
    }
);

export type PayoutDestination =
  | { rail: 'PIX'; pixKey: string; pixKeyType: PixKeyType; recipientName: string | null }
  | ({ rail: 'FPS' | 'SEPA' } & { details: BankDetails });

/** As listed, with what recovery needs to know of a resource without a row. */
export type TransferDetails = { snapshot: TransferSnapshot; quoteRef: string };
export type PayoutDetails = { snapshot: PayoutSnapshot };

/** Lists are oldest first and grow only at their end. `after` is the id of the last item seen, null at the beginning. */
export type ListRequest = { after: string | null; limit: number };
/** Each object on the page is either one of `items` or `unreadable`. */
export type ListPage<Item> = {
  items: Item[];
  unreadable: UnreadableItem[];
  /** The uuids of both, in the order of the list. */
  refs: string[];
  /** Continues the list; null where it ends for now. */
  next: string | null;
};

/** An item outside the contract, or with an amount that is none. */
export type UnreadableItem = {
  /** Null where not even its uuid can be read. */
  providerRef: string | null;
  /** The uuid of the nearest item before it; null at the beginning of the list. */
  position: string | null;
  /** How many readable items of its page stand before it. */
  index: number;
  /** Names of fields and a rule, never a value. */
  why: string;
};

export type ValidationStatus = 'match' | 'close_match' | 'no_match' | 'unavailable';

/** `retryAfterMs`: for how long each operation is kept back by a `Retry-After`, in milliseconds. */
export type ConnectionState = {
  calls: Record<Priority, { inFlight: number; queued: number }>;
  concurrencyLimit: number;
  isCircuitOpen: boolean;
  retryAfterMs: Record<string, number>;
};

/**
 * Writes carry a handle of ours and may be repeated with it: the same resource is returned.
 * @throws ProviderRefusal when the provider refused definitively; nothing was created.
 * @throws OutcomeUnknown for everything else: the write may or may not have happened.
 */
export type Provider = {
  createOwner(owner: { handle: string }): Promise<OwnerSnapshot>;
  getOwner(providerRef: string): Promise<OwnerSnapshot>;
  findOwner(handle: string): Promise<Found<OwnerSnapshot> | null>;

  createAccount(account: { handle: string; ownerRef: string; currency: Currency }): Promise<AccountSnapshot>;
  getAccount(providerRef: string): Promise<AccountSnapshot>;
  findAccount(handle: string): Promise<Found<AccountSnapshot> | null>;
  getMovement(accountRef: string, movementRef: string): Promise<Movement>;
  listMovements(accountRef: string, page: ListRequest): Promise<ListPage<Movement>>;

  createQuote(quote: QuoteRequest): Promise<ProviderQuote>;

  createTransfer(transfer: {
    handle: string;
    quoteRef: string;
    sourceAccountRef: string;
    destinationAccountRef: string;
  }): Promise<TransferSnapshot>;
  getTransfer(providerRef: string): Promise<TransferSnapshot>;
  findTransfer(handle: string): Promise<Found<TransferSnapshot> | null>;
  getTransferDetails(providerRef: string): Promise<TransferDetails>;
  listTransfers(page: ListRequest): Promise<ListPage<TransferDetails>>;

  createPayout(payout: {
    handle: string;
    sourceAccountRef: string;
    amountMinor: number;
    currency: 'BRL' | HomeCurrency;
    destination: PayoutDestination;
  }): Promise<PayoutSnapshot>;
  reissuePayout(payout: { providerRef: string; handle: string; attempt: number }): Promise<PayoutSnapshot>;
  getPayout(providerRef: string): Promise<PayoutSnapshot>;
  findPayout(handle: string): Promise<Found<PayoutSnapshot> | null>;
  listPayouts(page: ListRequest): Promise<ListPage<PayoutDetails>>;

  /** From now on its callbacks go there, undelivered ones included. @param url carries the webhook secret. */
  setCallbackUrl(kind: Snapshot['kind'], providerRef: string, url: string): Promise<void>;

  validateBankDetails(details: BankDetails): Promise<ValidationStatus>;
  /** The state of the connection to the provider, for operators. */
  state(): ConnectionState;
  /** Aborts every call in flight: its outcome is then unknown. */
  close(): Promise<void>;
};

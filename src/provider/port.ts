// The port to a banking provider, in the service's own terms and units. Nothing here depends on the wire format.
import type { KycFailureCode, KycLevel } from '../../machines/kyc.machine.ts';
import type { BankDetails } from '../domain/bank-details.ts';
import type { ContestationReason } from '../domain/contestations.ts';
import type { Currency, HomeCurrency, Places } from '../domain/currency.ts';
import type { PayoutFailure } from '../domain/payout-failures.ts';
import type { PixKeyType } from '../domain/pix-key.ts';
import type { Caller, Priority } from './caller.ts';

/** The state of a resource at one moment. Amounts are in minor units. `updatedAt` orders the snapshots of one resource. */
export type Snapshot =
  | OwnerSnapshot
  | AccountSnapshot
  | TransferSnapshot
  | PayoutSnapshot
  | ContestationSnapshot;

type Resource<Kind extends string> = { kind: Kind; handle: string; providerRef: string; updatedAt: Date };

export type OwnerSnapshot = Resource<'owner'> & {
  status: 'pending' | 'completed' | 'failed';
  level: KycLevel | null;
  /** The number of the present attempt. 1 if the provider does not count attempts. */
  attempt: number;
  /** Why the verification failed, if the provider says so. */
  failureCode: KycFailureCode | null;
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
  /** The decimal places of the amounts. A transfer names no currency, so they are compared with the currencies of its accounts. */
  sourcePlaces: Places;
  destinationPlaces: Places;
  rate: string;
  failureReason: string | null;
};

export type PayoutSnapshot = Resource<'payout'> & {
  status: 'pending' | 'completed' | 'failed' | 'refunded';
  attempt: number;
  sourceAccountRef: string;
  /** Personal data. It must not be logged. */
  destination: PayoutDestination;
  amountMinor: number;
  currency: Currency;
  endToEndId: string | null;
  voucherId: string | null;
  failureReason: string | null;
  /** Why the payout failed, if the provider says so. */
  payoutFailure: PayoutFailure | null;
  /** The parts that came back. Empty for a provider without partial returns. */
  refunds: PayoutRefundEntry[];
};

/** A part of a payout that came back. `movementRef` is the movement that credited the source account. */
export type PayoutRefundEntry = { movementRef: string; amountMinor: number; creditedAt: Date };

export type ContestationSnapshot = Resource<'contestation'> & {
  status: 'open' | 'accepted' | 'rejected';
  resolvedAt: Date | null;
};

/** The kinds of resources that have callbacks of their own. A contestation has those of its payout. */
export type CalledBack = Exclude<Snapshot['kind'], 'contestation'>;

/** The result of a look-up by a handle. If the provider has several objects under it, `others` has all but the first. */
export type LookupResult<One extends Snapshot> = One & { others?: One[] };

/** A change of an account's balance. A movement never changes. */
export type Movement = {
  kind: 'movement';
  providerRef: string;
  accountRef: string;
  direction: 'credit' | 'debit';
  purpose: 'deposit' | 'internal_transfer' | 'payout' | 'payout_refund';
  amountMinor: number;
  currency: Currency;
  /** The payer's own text. It is personal data and must not be logged. */
  sourceReference: string | null;
  createdAt: Date;
};

/** A quote. `rate` is the destination amount for one unit of the source, without the markup. The source amount includes the markup. */
export type ProviderQuote = {
  providerRef: string;
  sourceAmountMinor: number;
  destinationAmountMinor: number;
  rate: string;
  /** How long the quote is valid from its receipt, in milliseconds, as stated by the provider. */
  lifeMs: number;
};

/** The request for a quote. It fixes the amount of one side, and the provider computes the other. */
export type QuoteRequest = { sourceCurrency: Currency; destinationCurrency: Currency } & (
  | { sourceAmountMinor: number; markupBps?: number }
  | {
      destinationAmountMinor: number;
      markupBps?: number;
      /** The company pays the part of the price above `maxSourceAmountMinor`, up to the cap in basis points. */
      subsidy?: { maxSourceAmountMinor: number; capBps: number };
    }
);

export type PayoutDestination =
  | { rail: 'PIX'; pixKey: string; pixKeyType: PixKeyType; recipientName: string | null }
  | ({ rail: 'FPS' | 'SEPA' } & { details: BankDetails });

/** A listed transfer, with the quote that recovery needs to rebuild a lost row. */
export type TransferDetails = { snapshot: TransferSnapshot; quoteRef: string };
export type PayoutDetails = { snapshot: PayoutSnapshot };

/** A request for a page. Lists are oldest first and grow only at their end. `after` is the id of the last item seen, or null. */
export type ListRequest = { after: string | null; limit: number };
/** A span of time that includes its begin and excludes its end. */
export type TimeWindow = { from: Date; to: Date };
/** A request for a page of the objects that changed in a window, in the order of that time. A provider may ignore the window. */
export type WindowRequest = ListRequest & { window: TimeWindow };
/** A page of a list. Each of its objects is either in `items` or in `unreadable`. */
export type ListPage<Item> = {
  items: Item[];
  unreadable: UnreadableItem[];
  /** The uuids of all objects on the page, in the order of the list. */
  refs: string[];
  /** The cursor of the next page; null at the end of the list. */
  next: string | null;
};

/** An item of a list that does not match the contract, has an invalid amount or time, or belongs to another account. */
export type UnreadableItem = {
  /** The provider's id of the item; null if not even that can be read. */
  providerRef: string | null;
  /** The uuid of the nearest item before it; null at the beginning of the list. */
  position: string | null;
  /** The number of readable items before it on its page. */
  index: number;
  /** The reason: names of fields and a rule, never a value. */
  why: string;
};

/** The owner of a PIX key, as the directory of PIX names them. Personal data: it must not be logged. */
export type PixKeyOwner = {
  /** The provider's id of the look-up. */
  lookupRef: string;
  name: string;
  /** The number of a person is masked. */
  taxIdMasked: string;
  institution: string;
};

/** What a PIX code asks to be paid. Personal data: it must not be logged. */
export type BrCode = {
  /** The provider's id of the code as it was read. */
  codeRef: string;
  pixKey: string;
  pixKeyType: PixKeyType;
  name: string;
  institution: string;
  /** Null if the payer decides. */
  amountBrlMinor: number | null;
  /** Whether only this amount can be paid. */
  isAmountFixed: boolean;
} & (
  | { kind: 'static'; chargeRef: null; chargeExpiresAt: null }
  /** `chargeRef` is the same for everybody who reads a code of the charge. */
  | { kind: 'dynamic'; chargeRef: string; chargeExpiresAt: Date | null }
);

export type ValidationStatus = 'match' | 'close_match' | 'no_match' | 'not_possible' | 'unavailable';

/** The bank's answer to whether a name belongs to an account. `suggestedName` is personal data: it must not be logged. */
export type BankValidation = {
  status: ValidationStatus;
  /** The name on the account, as the bank suggests it. Only for a close match. */
  suggestedName: string | null;
};

/**
 * The state of the connection. `openCircuits`: the operations, or rails of operations, that are called only as trials, and `all` if the
 * whole provider is unreachable. `failing`: those of them that have not been answered lately; a call that is due may close the others.
 * `retryAfterMs`: how long a `Retry-After` still blocks each operation, in milliseconds.
 */
export type ConnectionState = {
  calls: Record<Priority, { inFlight: number; queued: number }>;
  concurrencyLimit: number;
  openCircuits: string[];
  failing: string[];
  retryAfterMs: Record<string, number>;
};

/** The connection to the provider. A call names who makes it: `for` returns the operations as that caller may use them. */
export type ProviderConnection = {
  for: <Of extends Priority>(caller: Caller<Of>) => Provider<Of>;
  state(): ConnectionState;
  /** Rejects queued calls and aborts the calls in flight, whose outcome is then unknown. */
  close(): Promise<void>;
};

/**
 * The operations of the provider for one caller. An interactive call is sent first and gives up early, because a user waits for it; a
 * background call has more time, because its work is retried. Writes have one of our handles and may be repeated with it: a repetition
 * returns the same resource.
 * @throws ProviderRefusal if the provider refused definitively: nothing was created.
 * @throws OutcomeUnknown for every other failure: the write may or may not have happened.
 */
export type Provider<Of extends Priority = Priority> = OwnerCalls &
  AccountCalls &
  TransferCalls &
  PayoutCalls & {
    priority: Of;
    /**
     * Sets the address of a resource's callbacks, including those not yet delivered.
     * @param url contains the webhook secret, so it must not be logged.
     */
    setCallbackUrl(kind: CalledBack, providerRef: string, url: string): Promise<void>;
  };

export type OwnerCalls = {
  createOwner(owner: { handle: string }): Promise<OwnerSnapshot>;
  getOwner(providerRef: string): Promise<OwnerSnapshot>;
  findOwner(handle: string): Promise<LookupResult<OwnerSnapshot> | null>;
  /** Begins the next attempt of a failed verification. An attempt that was made before is returned as it is. */
  restartOwner(owner: { providerRef: string; handle: string; attempt: number }): Promise<OwnerSnapshot>;
};

export type AccountCalls = {
  createAccount(account: { handle: string; ownerRef: string; currency: Currency }): Promise<AccountSnapshot>;
  getAccount(providerRef: string): Promise<AccountSnapshot>;
  findAccount(handle: string): Promise<LookupResult<AccountSnapshot> | null>;
  getMovement(accountRef: string, movementRef: string): Promise<Movement>;
  listMovements(accountRef: string, page: ListRequest): Promise<ListPage<Movement>>;
  /** Lists the movements of all accounts that were created in a window. A provider may not have this list. */
  listCompanyMovements(page: WindowRequest): Promise<ListPage<Movement>>;
};

export type TransferCalls = {
  createQuote(quote: QuoteRequest): Promise<ProviderQuote>;
  createTransfer(transfer: {
    handle: string;
    quoteRef: string;
    sourceAccountRef: string;
    destinationAccountRef: string;
  }): Promise<TransferSnapshot>;
  getTransfer(providerRef: string): Promise<TransferSnapshot>;
  findTransfer(handle: string): Promise<LookupResult<TransferSnapshot> | null>;
  getTransferDetails(providerRef: string): Promise<TransferDetails>;
  listTransfers(page: ListRequest | WindowRequest): Promise<ListPage<TransferDetails>>;
};

export type PayoutToCheck = {
  sourceAccountRef: string;
  amountMinor: number;
  currency: 'BRL' | HomeCurrency;
  destination: PayoutDestination;
};

/** @property description is personal data. It must not be logged. */
export type ContestationRequest = {
  payoutRef: string;
  handle: string;
  reason: ContestationReason;
  description: string;
};

export type PayoutCalls = {
  createPayout(
    payout: PayoutToCheck & {
      handle: string;
      /** The provider's id of the look-up that named the recipient to the user. */
      lookupRef?: string;
      /** The provider's id of the code that the payout pays. */
      codeRef?: string;
    },
  ): Promise<PayoutSnapshot>;
  /**
   * Returns why a limit would stop the payout now, or null if none would. It creates and reserves nothing. A provider may not have
   * such checks.
   */
  checkPayout(payout: PayoutToCheck): Promise<PayoutFailure | null>;
  reissuePayout(payout: { providerRef: string; handle: string; attempt: number }): Promise<PayoutSnapshot>;
  getPayout(providerRef: string): Promise<PayoutSnapshot>;
  findPayout(handle: string): Promise<LookupResult<PayoutSnapshot> | null>;
  listPayouts(page: ListRequest | WindowRequest): Promise<ListPage<PayoutDetails>>;
  /**
   * Contests a completed payout. Repeating the request returns the contestation as it is. There is no look-up by the handle. A provider
   * may not have contestations.
   */
  createContestation(contestation: ContestationRequest): Promise<ContestationSnapshot>;
  getContestation(contestation: { payoutRef: string; providerRef: string }): Promise<ContestationSnapshot>;
  /** Asks the bank whether the name belongs to the account. A provider may not have such checks. */
  validateBankDetails(details: BankDetails): Promise<BankValidation>;
  /**
   * Returns the owner of a PIX key, or null if no account has it. A provider may not have look-ups.
   * @param key `ownerRef` is the user who asks.
   */
  lookUpPixKey(key: {
    ownerRef: string;
    pixKey: string;
    pixKeyType: PixKeyType;
  }): Promise<PixKeyOwner | null>;
  /**
   * Reads a PIX code. The provider fetches the charge that a dynamic code points to. A provider may not read codes.
   * @param code `ownerRef` is the user who asks.
   * @throws ProviderRefusal with the reason why the code cannot be paid.
   */
  readBrCode(code: { ownerRef: string; text: string }): Promise<BrCode>;
};

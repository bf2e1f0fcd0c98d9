// The client has one method for each action of an app. A call resolves with the contract's answer, or rejects with a PonteError
// (Ponte refused), a PonteUnreachable (no usable answer after some tries) or the reason of an AbortSignal.
import createClient from 'openapi-fetch';
import type { paths } from './contract.ts';
import { PonteError } from './errors.ts';
import {
  type AnswerName,
  answerIn,
  assertEmpty,
  type Exchanged,
  exchange,
  listIn,
  type Via,
} from './exchange.ts';
import { type CallOptions, type Options, randomUuid } from './options.ts';
import { itemsOf } from './pages.ts';
import { hasEnded, isUnknown } from './statuses.ts';
import { send } from './transport.ts';
import type {
  AccountClosure,
  AnswerOf,
  BankDetails,
  BankDetailsCheck,
  BankDetailsCheckRequest,
  BankDetailsRequest,
  Contestation,
  ContestationRequest,
  DataRequest,
  DataRequestInput,
  KycStart,
  KycState,
  Me,
  PaymentFilters,
  PixCode,
  PixCodeRequest,
  PixPayment,
  PixPaymentAccepted,
  PixPaymentRequest,
  PixQuote,
  PixReceipt,
  PixRecipient,
  PixRecipientLookup,
  PixRecipientLookupRequest,
  SchemaOf,
  Session,
  SessionRequest,
  Transaction,
  TransactionFilters,
  User,
  UserUpdate,
  Withdraw,
  WithdrawRequest,
} from './types.ts';
import { type WaitOptions, waitUntil } from './wait.ts';

type Answer<Data> = { data?: Data; error?: unknown; response: Response };
/**
 * `idempotencyKey` is the key of one intention of the user. Keep it before the call, and pass it again to find out about a call that got no answer.
 * Without it, each call has a new key, which its error contains.
 */
export type Keyed = CallOptions & { idempotencyKey?: string };
/** `pageSize` is the number of items that one request reads. */
export type Listed = CallOptions & { pageSize?: number };

export type Ponte = ReturnType<typeof createPonte>;

export function createPonte(clientOptions: Options) {
  const calls = createCalls(clientOptions);
  const { api } = calls;
  return {
    /**
     * The openapi-fetch client that this client uses, for operations that have no method here. It returns refusals instead of
     * throwing them.
     */
    api,

    ...sessionMethods(calls),
    ...accountMethods(calls),
    ...verificationMethods(calls),
    ...bankMethods(calls),
    ...recipientMethods(calls),
    ...paymentMethods(calls),
    ...contestationMethods(calls),
    ...withdrawalMethods(calls),
    ...transactionMethods(calls),
  };
}

type Calls = ReturnType<typeof createCalls>;

/** Creates the calls that all methods make, and the session that they use. */
function createCalls(clientOptions: Options) {
  const { baseUrl, language, onSession, fetch = globalThis.fetch, randomKey = randomUuid } = clientOptions;
  const { timeoutMs = 15_000, tries = 3, onRequest, onResponse } = clientOptions;
  const transport = {
    fetch: (one: Request) => fetch(one),
    timeoutMs,
    tries,
    ...(onRequest && { onRequest }),
    ...(onResponse && { onResponse }),
  };
  const api = createClient<paths>({
    baseUrl,
    fetch: (request) => send(request, transport, { idempotencyKey: null, mayHaveActed: false }),
  });
  let sessionToken = clientOptions.sessionToken ?? null;
  api.use({
    onRequest: ({ request }) => {
      if (sessionToken !== null) request.headers.set('authorization', `Bearer ${sessionToken}`);
      if (language !== undefined && !request.headers.has('accept-language'))
        request.headers.set('accept-language', language);
    },
  });

  const setSession = (token: string | null): void => {
    if (token === sessionToken) return;
    sessionToken = token;
    onSession?.(token);
  };
  const exchanged = async (
    ask: (via: Via) => Promise<Answer<unknown>>,
    ofCall: CallOptions = {},
  ): Promise<Exchanged> => {
    assertAddress(baseUrl);
    try {
      return await exchange(transport, ofCall, ask);
    } catch (error) {
      if (error instanceof PonteError && error.is('unauthorized')) setSession(null);
      throw error;
    }
  };
  const call = async <Name extends AnswerName>(
    name: Name,
    ask: (via: Via) => Promise<Answer<SchemaOf<Name>>>,
    ofCall?: CallOptions,
  ): Promise<AnswerOf<Name>> => answerIn(name, await exchanged(ask, ofCall));
  const list = <Name extends AnswerName>(
    name: Name,
    read: (query: { cursor?: string }, via: Via) => Promise<Answer<SchemaOf<Name>[]>>,
    ofCall: CallOptions,
  ) =>
    itemsOf(async (cursor) => {
      const page = await exchanged((via) => read(cursor === undefined ? {} : { cursor }, via), ofCall);
      return { items: listIn(name, page), link: page.response.headers.get('link') };
    });
  const keyed = ({ idempotencyKey = randomKey() }: Keyed) => ({
    header: { 'Idempotency-Key': idempotencyKey },
  });
  return { api, setSession, exchanged, call, list, keyed };
}

const sessionMethods = ({ api, call, setSession }: Calls) => ({
  /**
   * Exchanges the ID token of the phone's sign-in for a session, which all later calls use.
   * @param body with the `nonce` that the sign-in was given, if any: a token that does not contain it is refused.
   */
  signIn: async (body: SessionRequest, options?: CallOptions): Promise<Session> => {
    const session = await call('Session', (via) => api.POST('/auth/session', { ...via, body }), options);
    setSession(session.sessionToken);
    return session;
  },
  /** Forgets the session on this device. The API has no call for it: the token stays valid until it expires. */
  signOut: (): void => setSession(null),
});

const accountMethods = ({ api, call, keyed }: Calls) => ({
  /** The user, the state of the identity check, the balance and the details for deposits. */
  me: (options?: CallOptions): Promise<Me> => call('Me', (via) => api.GET('/me', via), options),
  /** Changes the display name or chooses the home currency, which is final. */
  updateMe: (body: UserUpdate, options?: CallOptions): Promise<User> =>
    call('User', (via) => api.PATCH('/me', { ...via, body }), options),
  /**
   * Closes the account permanently: every other call is then refused with `account_closed`.
   * @param options with `unlessMoneyIsLeft`, an account with a balance or unfinished work stays open. Ask the user, then call again
   *   without it.
   * @throws PonteError `account_holds_money` in that case.
   */
  closeAccount: ({
    unlessMoneyIsLeft = false,
    ...options
  }: CallOptions & { unlessMoneyIsLeft?: boolean } = {}): Promise<AccountClosure> =>
    call(
      'AccountClosure',
      (via) =>
        api.DELETE('/me', {
          ...via,
          ...(unlessMoneyIsLeft && { params: { query: { unlessMoneyIsLeft } } }),
        }),
      options,
    ),
  /**
   * Requests a right over the user's own data.
   * @param key see `withdraw`.
   */
  requestData: (body: DataRequestInput, key: Keyed = {}): Promise<DataRequest> =>
    call('DataRequest', (via) => api.POST('/me/data-request', { ...via, body, params: keyed(key) }), key),
});

function verificationMethods({ api, call }: Calls) {
  const verification = (options?: CallOptions): Promise<KycState> =>
    call('KycState', (via) => api.GET('/kyc/status', via), options);
  return {
    /** Begins the identity check. Open `verificationUrl` in a browser view. */
    startVerification: (options?: CallOptions): Promise<KycStart> =>
      call('KycStart', (via) => api.POST('/kyc/start', { ...via, body: {} }), options),
    /**
     * Begins the next attempt after the identity check has failed. Repeating the call continues the attempt that is under way.
     * @throws PonteError `not_restartable` if it has not failed, or if the provider allows no other attempt.
     */
    restartVerification: (options?: CallOptions): Promise<KycStart> =>
      call('KycStart', (via) => api.POST('/kyc/restart', { ...via, body: {} }), options),
    /** The state of the identity check. */
    verification,
    /** Polls until the identity check has an outcome. */
    waitForVerification: (wait?: WaitOptions<KycState>): Promise<KycState> =>
      waitUntil(verification, hasEnded, wait),
  };
}

const bankMethods = ({ api, call, exchanged }: Calls) => ({
  /** The user's own bank account, at most one for each currency. @param options with `reveal`, its numbers are complete. */
  bankDetails: async ({
    reveal = false,
    ...options
  }: CallOptions & { reveal?: boolean } = {}): Promise<BankDetails[]> =>
    listIn(
      'BankDetails',
      await exchanged((via) => api.GET('/bank-details', { ...via, params: { query: { reveal } } }), options),
    ),
  /** Replaces the user's own bank account. Its bank is asked whether the name matches. */
  saveBankDetails: (body: BankDetailsRequest, options?: CallOptions): Promise<BankDetails> =>
    call('BankDetails', (via) => api.POST('/bank-details', { ...via, body }), options),
  /**
   * Asks the bank now whether the saved name belongs to the saved account. Call it before each withdrawal, and show the result. If it is
   * not `match` and the user goes on, pass its `checkId` to `withdraw` as `acceptedCheckId`. The call takes up to six seconds. It costs
   * tokens of the same budget as `lookUpRecipient`.
   * @throws PonteError `name_check_unavailable` if there is no answer, or `lookup_budget_spent` if no token is left to ask with: the error's
   *   `checkId` can be accepted as well. After `not_offered` (the banking provider has no checks), the user can withdraw without one.
   */
  checkBankDetails: (body: BankDetailsCheckRequest, options?: CallOptions): Promise<BankDetailsCheck> =>
    call('BankDetailsCheck', (via) => api.POST('/bank-details/checks', { ...via, body }), options),
});

const contestationMethods = ({ api, call }: Calls) => ({
  /**
   * Contests a completed payment as a fraud. A payment is contested once: repeating the call returns the contestation.
   * @throws PonteError `not_offered` if the banking provider has no contestations, `not_contestable` if the payment is not completed or
   *   80 days old, `already_contested` if it was contested with another reason or description.
   */
  contest: (id: string, contestation: ContestationRequest, options?: CallOptions): Promise<Contestation> =>
    call(
      'Contestation',
      (via) => api.POST('/pix/payments/{id}/contestation', { ...via, ...byId(id), body: contestation }),
      options,
    ),

  /**
   * The contestation of a payment, with its status.
   * @throws PonteError `not_found` if the payment was not contested.
   */
  contestation: (id: string, options?: CallOptions): Promise<Contestation> =>
    call(
      'Contestation',
      (via) => api.GET('/pix/payments/{id}/contestation', { ...via, ...byId(id) }),
      options,
    ),
});

function paymentMethods(calls: Calls) {
  const { api, call, list, keyed } = calls;
  const payment = (id: string, options?: CallOptions): Promise<PixPayment> =>
    call('PixPayment', (via) => api.GET('/pix/payments/{id}', { ...via, ...byId(id) }), options);
  /** The transaction says whether a status of a later version is final. */
  const hasPaymentEnded = async (seen: PixPayment, options: CallOptions): Promise<boolean> =>
    hasEnded(seen) ||
    (isUnknown(seen) && hasMovementEnded(await readTransaction(calls, seen.transactionId, options)));
  return {
    /**
     * Requests a price. It is valid until `expiresAt`. `sufficientFunds` is a hint for the screen: `pay` decides.
     * @param amountBrl the reais that the recipient gets, with at most two decimals.
     */
    quote: (amountBrl: number, options?: CallOptions): Promise<PixQuote> =>
      call('PixQuote', (via) => api.POST('/pix/quote', { ...via, body: { amountBrl } }), options),
    /**
     * Pays at a quote, once: repeating the call returns the payment. With a `lookupId` or a `codeId`, it keeps the name that the user saw.
     * @throws PonteError `lookup_expired` if the key was looked up more than 15 minutes ago: look it up again, and show the name.
     *   `code_outdated` if the code was read more than 15 minutes ago: read it again. `code_already_used` if another payment pays its
     *   charge, or has paid it, and `code_expires_soon` if the charge could expire before the money arrives.
     *   `payout_not_allowed` if a limit stops the payment: `payoutFailure` of the error says which, and from when it is possible.
     */
    pay: (body: PixPaymentRequest, options?: CallOptions): Promise<PixPaymentAccepted> =>
      call('PixPaymentAccepted', (via) => api.POST('/pix/payments', { ...via, body }), options),
    /** One payment by its `pixPaymentId`. */
    payment,
    /**
     * The receipt of a completed payment, for its recipient: it shows nothing of what the payment cost.
     * @throws PonteError `payment_not_completed`, or `payment_returned` once the recipient's bank has returned all of it.
     */
    receipt: (id: string, options?: CallOptions): Promise<PixReceipt> =>
      call('PixReceipt', (via) => api.GET('/pix/payments/{id}/receipt', { ...via, ...byId(id) }), options),

    /** All payments, or those that match filters, newest first. A filter that matches little can take many requests for an item. */
    payments: (listed: Listed & PaymentFilters = {}): AsyncGenerator<PixPayment, void, void> =>
      list(
        'PixPayment',
        (query, via) =>
          api.GET('/pix/payments', {
            ...via,
            params: { query: { ...limit(listed), ...filtersOf(listed), ...query } },
          }),
        listed,
      ),
    /**
     * Sends a failed payout again: the same amount to the same key. `payoutFailure` of the payment says whether that helps.
     * @param key see `withdraw`.
     * @throws PonteError `not_retryable` if the payment is in any other state.
     */
    retryPayment: (id: string, key: Keyed = {}): Promise<PixPayment> =>
      call(
        'PixPayment',
        (via) =>
          api.POST('/pix/payments/{id}/retry', {
            ...via,
            body: {},
            params: { ...byId(id).params, ...keyed(key) },
          }),
        key,
      ),
    /**
     * Polls until the payment does not change by itself any more. `payout_failed` waits for the user, who can retry it. A status that
     * this version does not know ends the wait if the payment's transaction has ended.
     */
    waitForPayment: (id: string, wait?: WaitOptions<PixPayment>): Promise<PixPayment> =>
      waitUntil((options) => payment(id, options), hasPaymentEnded, wait),
  };
}

const recipientMethods = ({ api, call, exchanged, list }: Calls) => ({
  /**
   * Returns who owns a PIX key. Show the name before the user confirms, and pass the `lookupId` to `pay`. Look a key up once: a key
   * that exists costs the user one token of 100, an unknown key costs 20, and two come back each minute.
   * @throws PonteError `pix_key_unknown` for a key without an account. The user can pay without the name after `not_offered` (the
   *   banking provider has no look-ups), `lookup_unavailable`, or `lookup_budget_spent` (no token is left).
   */
  lookUpRecipient: (body: PixRecipientLookupRequest, options?: CallOptions): Promise<PixRecipientLookup> =>
    call('PixRecipientLookup', (via) => api.POST('/pix/recipients/lookup', { ...via, body }), options),
  /**
   * Returns what a PIX code asks for: the recipient, the amount, and whether the amount is fixed. Show them before the user confirms, and
   * pass the `codeId` to `pay`, with the key. Check the text with `readBrCode` first: a text that is no code costs the user 20 tokens of
   * 100, any other code one.
   * @throws PonteError `code_expired`, `code_already_paid` or `code_cancelled` if the charge cannot be paid any more; `code_not_pix`,
   *   `code_not_supported` or `code_damaged` if the text cannot be paid; `code_unavailable` or `lookup_budget_spent` if it cannot be read
   *   now; `not_offered` if the banking provider does not read codes.
   */
  readCode: (body: PixCodeRequest, options?: CallOptions): Promise<PixCode> =>
    call('PixCode', (via) => api.POST('/pix/codes', { ...via, body }), options),
  /** The recipients that were paid, the last one first. Look the key up before you pay it again: its owner may have changed. */
  recipients: (listed: Listed = {}): AsyncGenerator<PixRecipient, void, void> =>
    list(
      'PixRecipient',
      (query, via) =>
        api.GET('/pix/recipients', { ...via, params: { query: { ...limit(listed), ...query } } }),
      listed,
    ),
  /**
   * Removes a recipient from the list. Its payments stay, and a later payment to the same key brings it back.
   * @throws PonteError `not_found` if the list does not have the recipient, unless an earlier try of this call may have removed it.
   */
  removeRecipient: async (id: string, options?: CallOptions): Promise<void> => {
    try {
      assertEmpty(
        await exchanged((via) => api.DELETE('/pix/recipients/{id}', { ...via, ...byId(id) }), options),
      );
    } catch (error) {
      if (!(error instanceof PonteError && error.is('not_found') && error.mayHaveActed)) throw error;
    }
  },
});

const withdrawalMethods = ({ api, call, list, keyed }: Calls) => ({
  /**
   * Sends money to the user's own bank. If no usable answer arrived, repeat the call with the error's `idempotencyKey` to find
   * out. A call without it is a second withdrawal.
   * @param amount minor units of the home currency: pence or cents.
   * @param key with `acceptedCheckId`, the check of the name whose result the user saw and accepted.
   * @throws PonteError `name_check_required` if the operator requires a check: call `checkBankDetails` first, and show its result.
   */
  withdraw: (
    amount: number,
    { acceptedCheckId, ...key }: Keyed & Pick<WithdrawRequest, 'acceptedCheckId'> = {},
  ): Promise<Withdraw> => {
    const body = { amount, ...(acceptedCheckId !== undefined && { acceptedCheckId }) };
    return call('Withdraw', (via) => api.POST('/withdraws', { ...via, body, params: keyed(key) }), key);
  },
  /** All withdrawals, newest first. */
  withdraws: (listed: Listed = {}): AsyncGenerator<Withdraw, void, void> =>
    list(
      'Withdraw',
      (query, via) => api.GET('/withdraws', { ...via, params: { query: { ...limit(listed), ...query } } }),
      listed,
    ),
});

/** The longest page that the API returns. */
const LONGEST_PAGE = 1_000;

function transactionMethods(calls: Calls) {
  const { api, list } = calls;
  const transaction = (id: string, options?: CallOptions): Promise<Transaction> =>
    readTransaction(calls, id, options);
  const transactions = (listed: Listed & TransactionFilters = {}): AsyncGenerator<Transaction, void, void> =>
    list(
      'Transaction',
      (query, via) =>
        api.GET('/transactions', {
          ...via,
          params: { query: { ...limit(listed), ...filtersOf(listed), ...query } },
        }),
      listed,
    );
  return {
    /** One deposit, payment or withdrawal by its transaction's id. */
    transaction,
    /**
     * All deposits, payments and withdrawals, or those that match filters, newest first. A filter that matches little can take many
     * requests for an item: pass a `signal` that ends them.
     */
    transactions,
    /** The transactions of a calendar year in UTC, newest first, for {@link csvOf}. */
    transactionsOfYear: async (year: number, options: CallOptions = {}): Promise<Transaction[]> => {
      const found: Transaction[] = [];
      const period = { from: startOf(year), to: startOf(year + 1) };
      for await (const one of transactions({ ...options, ...period, pageSize: LONGEST_PAGE }))
        found.push(one);
      return found;
    },
    /** Polls a deposit, payment or withdrawal by its transaction. A withdrawal can take a day. */
    waitForTransaction: (id: string, wait?: WaitOptions<Transaction>): Promise<Transaction> =>
      waitUntil((options) => transaction(id, options), hasMovementEnded, wait),
  };
}

const readTransaction = ({ api, call }: Calls, id: string, options?: CallOptions): Promise<Transaction> =>
  call('Transaction', (via) => api.GET('/transactions/{id}', { ...via, ...byId(id) }), options);

/** @throws TypeError for an id that would lead to another address. */
function byId(id: string) {
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id))
    throw new TypeError(`The id ${JSON.stringify(id)} is none.`);
  return { params: { path: { id } } };
}

/** @throws TypeError for an address without its scheme. In a browser, an address may be relative to the page. */
function assertAddress(baseUrl: string): void {
  if (baseUrl !== '' && !/^(?:https?:\/)?\//i.test(baseUrl))
    throw new TypeError(`The baseUrl ${JSON.stringify(baseUrl)} does not begin with https:// or http://.`);
}

/** A status of a later version is final if the transaction was completed or has failed. */
const hasMovementEnded = (seen: Transaction): boolean =>
  hasEnded(seen) || (isUnknown(seen) && (seen.completedAt !== null || seen.failureReason !== null));

const startOf = (year: number): string => new Date(Date.UTC(year, 0)).toISOString();

const limit = ({ pageSize }: Listed) => (pageSize === undefined ? {} : { limit: pageSize });

/** Returns what is left of a list's options: its filters. */
function filtersOf<Filters extends object>(listed: Listed & Filters) {
  const { pageSize: _size, signal: _signal, timeoutMs: _timeout, headers: _headers, ...filters } = listed;
  return filters;
}

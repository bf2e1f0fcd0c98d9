// The client has one method for each action of an app. A call resolves with the contract's answer, or rejects with a PonteError
// (Ponte refused), a PonteUnreachable (no usable answer after some tries) or the reason of an AbortSignal.
import createClient from 'openapi-fetch';
import type { paths } from './contract.ts';
import { PonteError } from './errors.ts';
import { type AnswerName, answerIn, type Exchanged, exchange, listIn, type Via } from './exchange.ts';
import { type Options, randomUuid } from './options.ts';
import { itemsOf } from './pages.ts';
import { hasEnded } from './statuses.ts';
import { send } from './transport.ts';
import type {
  AnswerOf,
  BankDetailsRequest,
  DataRequestInput,
  KycState,
  PixPayment,
  PixPaymentRequest,
  SchemaOf,
  SessionRequest,
  Transaction,
  UserUpdate,
} from './types.ts';
import { type WaitOptions, waitUntil } from './wait.ts';

type Answer<Data> = { data?: Data; error?: unknown; response: Response };
/**
 * The key of one intention of the user. Keep it before the call, and pass it again to find out about a call that got no answer.
 * Without it, each call has a new key, which its error contains.
 */
type Keyed = { idempotencyKey?: string };
type Listed = { pageSize?: number };

export type Ponte = ReturnType<typeof createPonte>;

export function createPonte(options: Options) {
  const { baseUrl, onSession, fetch = globalThis.fetch, randomKey = randomUuid } = options;
  const { timeoutMs = 15_000, tries = 3 } = options;
  const transport = { fetch: (one: Request) => fetch(one), timeoutMs, tries };
  const api = createClient<paths>({
    baseUrl,
    fetch: (request) => send(request, transport, { idempotencyKey: null, mayHaveActed: false }),
  });
  let sessionToken = options.sessionToken ?? null;
  api.use({
    onRequest: ({ request }) => {
      if (sessionToken !== null) request.headers.set('authorization', `Bearer ${sessionToken}`);
    },
  });

  const setSession = (token: string | null): void => {
    if (token === sessionToken) return;
    sessionToken = token;
    onSession?.(token);
  };
  const exchanged = async (ask: (via: Via) => Promise<Answer<unknown>>): Promise<Exchanged> => {
    try {
      return await exchange(transport, ask);
    } catch (error) {
      if (error instanceof PonteError && error.is('unauthorized')) setSession(null);
      throw error;
    }
  };
  const call = async <Name extends AnswerName>(
    name: Name,
    ask: (via: Via) => Promise<Answer<SchemaOf<Name>>>,
  ): Promise<AnswerOf<Name>> => answerIn(name, await exchanged(ask));
  const list = <Name extends AnswerName>(
    name: Name,
    read: (query: { cursor?: string }, via: Via) => Promise<Answer<SchemaOf<Name>[]>>,
  ) =>
    itemsOf(async (cursor) => {
      const page = await exchanged((via) => read(cursor === undefined ? {} : { cursor }, via));
      return { items: listIn(name, page), link: page.response.headers.get('link') };
    });
  const keyed = ({ idempotencyKey = randomKey() }: Keyed) => ({
    header: { 'Idempotency-Key': idempotencyKey },
  });

  const payment = (id: string) =>
    call('PixPayment', (via) => api.GET('/pix/payments/{id}', { ...via, ...byId(id) }));
  const transaction = (id: string) =>
    call('Transaction', (via) => api.GET('/transactions/{id}', { ...via, ...byId(id) }));
  const verification = () => call('KycState', (via) => api.GET('/kyc/status', via));

  return {
    /**
     * The openapi-fetch client that this client uses, for operations that have no method here. It returns refusals instead of
     * throwing them.
     */
    api,

    /** Exchanges the ID token of the phone's sign-in for a session, which all later calls use. */
    signIn: async (body: SessionRequest) => {
      const session = await call('Session', (via) => api.POST('/auth/session', { ...via, body }));
      setSession(session.sessionToken);
      return session;
    },
    /** Forgets the session on this device. The API has no call for it: the token stays valid until it expires. */
    signOut: (): void => setSession(null),

    me: () => call('Me', (via) => api.GET('/me', via)),
    updateMe: (body: UserUpdate) => call('User', (via) => api.PATCH('/me', { ...via, body })),
    /**
     * Closes the account permanently: every other call is then refused with `account_closed`.
     * @param options with `unlessMoneyIsLeft`, an account with a balance or unfinished work stays open. Ask the user, then call again
     *   without it.
     * @throws PonteError `account_holds_money` in that case.
     */
    closeAccount: ({ unlessMoneyIsLeft = false }: { unlessMoneyIsLeft?: boolean } = {}) =>
      call('AccountClosure', (via) =>
        api.DELETE('/me', { ...via, ...(unlessMoneyIsLeft && { params: { query: { unlessMoneyIsLeft } } }) }),
      ),
    /**
     * Requests a right over the user's own data.
     * @param key see `withdraw`.
     */
    requestData: (body: DataRequestInput, key: Keyed = {}) =>
      call('DataRequest', (via) => api.POST('/me/data-request', { ...via, body, params: keyed(key) })),

    startVerification: () => call('KycStart', (via) => api.POST('/kyc/start', { ...via, body: {} })),
    verification,
    waitForVerification: (wait?: WaitOptions<KycState>) => waitUntil(verification, hasEnded, wait),

    bankDetails: async ({ reveal = false }: { reveal?: boolean } = {}) =>
      listIn(
        'BankDetails',
        await exchanged((via) => api.GET('/bank-details', { ...via, params: { query: { reveal } } })),
      ),
    saveBankDetails: (body: BankDetailsRequest) =>
      call('BankDetails', (via) => api.POST('/bank-details', { ...via, body })),

    /**
     * Requests a price. It is valid until `expiresAt`.
     * @param amountBrl the reais that the recipient gets, with at most two decimals.
     */
    quote: (amountBrl: number) =>
      call('PixQuote', (via) => api.POST('/pix/quote', { ...via, body: { amountBrl } })),
    /** Pays at a quote. A quote makes one payment, so repeating the call returns the existing payment. */
    pay: (body: PixPaymentRequest) =>
      call('PixPaymentAccepted', (via) => api.POST('/pix/payments', { ...via, body })),
    payment,
    payments: (listed: Listed = {}) =>
      list('PixPayment', (query, via) =>
        api.GET('/pix/payments', { ...via, params: { query: { ...limit(listed), ...query } } }),
      ),
    /**
     * Sends a failed payout again. After `failureCode` `recipient_unknown` that does not help: the key leads to no account.
     * @param key see `withdraw`.
     * @throws PonteError `not_retryable` if the payment is in any other state.
     */
    retryPayment: (id: string, key: Keyed = {}) =>
      call('PixPayment', (via) =>
        api.POST('/pix/payments/{id}/retry', {
          ...via,
          body: {},
          params: { ...byId(id).params, ...keyed(key) },
        }),
      ),
    /** Polls until the payment does not change by itself any more. `payout_failed` waits for the user, who can retry it. */
    waitForPayment: (id: string, wait?: WaitOptions<PixPayment>) =>
      waitUntil(() => payment(id), hasEnded, wait),

    /**
     * Sends money to the user's own bank. If no usable answer arrived, repeat the call with the error's `idempotencyKey` to find
     * out. A call without it is a second withdrawal.
     * @param amount minor units of the home currency: pence or cents.
     */
    withdraw: (amount: number, key: Keyed = {}) =>
      call('Withdraw', (via) => api.POST('/withdraws', { ...via, body: { amount }, params: keyed(key) })),
    withdraws: (listed: Listed = {}) =>
      list('Withdraw', (query, via) =>
        api.GET('/withdraws', { ...via, params: { query: { ...limit(listed), ...query } } }),
      ),

    transaction,
    transactions: (listed: Listed = {}) =>
      list('Transaction', (query, via) =>
        api.GET('/transactions', { ...via, params: { query: { ...limit(listed), ...query } } }),
      ),
    /** Polls a deposit, payment or withdrawal by its transaction. A withdrawal can take a day. */
    waitForTransaction: (id: string, wait?: WaitOptions<Transaction>) =>
      waitUntil(() => transaction(id), hasEnded, wait),
  };
}

const byId = (id: string) => ({ params: { path: { id } } });

const limit = ({ pageSize }: Listed) => (pageSize === undefined ? {} : { limit: pageSize });

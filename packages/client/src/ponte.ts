// One method for each thing that an app does. A call resolves with the contract's answer, or rejects with a PonteError (the
// server refused), a PonteUnreachable (no usable answer, after some tries) or the reason of an AbortSignal.
import createClient from 'openapi-fetch';
import type { paths } from './contract.ts';
import { PonteError, PonteUnreachable } from './errors.ts';
import { type Options, randomUuid } from './options.ts';
import { itemsOf } from './pages.ts';
import { hasEnded } from './statuses.ts';
import { send } from './transport.ts';
import type {
  BankDetailsRequest,
  DataRequestInput,
  KycState,
  PixPayment,
  PixPaymentRequest,
  SessionRequest,
  Transaction,
  UserUpdate,
} from './types.ts';
import { type WaitOptions, waitUntil } from './wait.ts';

type Answer<Data> = { data?: Data; error?: unknown; response: Response };
/** A key of the app's own, where it keeps one across restarts; else each call has a new one, the same in all its tries. */
type Keyed = { idempotencyKey?: string };
type Listed = { pageSize?: number };

export type Ponte = ReturnType<typeof createPonte>;

export function createPonte(options: Options) {
  const { baseUrl, onSession, fetch = globalThis.fetch, randomKey = randomUuid } = options;
  const { timeoutMs = 15_000, tries = 3 } = options;
  const api = createClient<paths>({
    baseUrl,
    fetch: (request) => send(request, { fetch: (one) => fetch(one), timeoutMs, tries }),
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
  const answered = async <Data>(answer: Promise<Answer<Data>>): Promise<Answer<Data>> => {
    const { data, error, response } = await answer.catch(asOurs);
    if (response.ok) return { ...(data !== undefined && { data }), response };
    const refused = new PonteError(response, error);
    if (refused.is('unauthorized')) setSession(null);
    throw refused;
  };
  const call = async <Data>(answer: Promise<Answer<Data>>): Promise<Data> =>
    (await answered(answer)).data as Data;
  const list = <Item>(read: (query: { cursor?: string }) => Promise<Answer<Item[]>>) =>
    itemsOf(async (cursor) => {
      const { data = [], response } = await answered(read(cursor === undefined ? {} : { cursor }));
      return { items: data, link: response.headers.get('link') };
    });
  const keyed = ({ idempotencyKey = randomKey() }: Keyed) => ({
    header: { 'Idempotency-Key': idempotencyKey },
  });

  const payment = (id: string): Promise<PixPayment> => call(api.GET('/pix/payments/{id}', byId(id)));
  const transaction = (id: string): Promise<Transaction> => call(api.GET('/transactions/{id}', byId(id)));
  const verification = (): Promise<KycState> => call(api.GET('/kyc/status'));

  return {
    /** The client of openapi-fetch below it, for what has no method here. Its answers are as they come. */
    api,

    /** Turns the ID token of the phone's sign-in into a session, which all further calls use. */
    signIn: async (body: SessionRequest) => {
      const session = await call(api.POST('/auth/session', { body }));
      setSession(session.sessionToken);
      return session;
    },
    /** Forgets the session. It stays good until it expires: there is nothing to call. */
    signOut: (): void => setSession(null),

    me: () => call(api.GET('/me')),
    updateMe: (body: UserUpdate) => call(api.PATCH('/me', { body })),
    /** For good: every other call is refused with `account_closed` from then on. */
    closeAccount: () => call(api.DELETE('/me')),
    requestData: (body: DataRequestInput, key: Keyed = {}) =>
      call(api.POST('/me/data-request', { body, params: keyed(key) })),

    startVerification: () => call(api.POST('/kyc/start', { body: {} })),
    verification,
    waitForVerification: (wait?: WaitOptions<KycState>) => waitUntil(verification, hasEnded, wait),

    bankDetails: ({ reveal = false }: { reveal?: boolean } = {}) =>
      call(api.GET('/bank-details', { params: { query: { reveal } } })),
    saveBankDetails: (body: BankDetailsRequest) => call(api.POST('/bank-details', { body })),

    /** @param amountBrl reais that the recipient is to get, at most two decimals. The price holds until `expiresAt`. */
    quote: (amountBrl: number) => call(api.POST('/pix/quote', { body: { amountBrl } })),
    /** A payment belongs to its quote: the same call again answers the payment that was made. */
    pay: (body: PixPaymentRequest) => call(api.POST('/pix/payments', { body })),
    payment,
    payments: (listed: Listed = {}) =>
      list((query) => api.GET('/pix/payments', { params: { query: { ...limit(listed), ...query } } })),
    /** Sends a payout again that failed. @throws PonteError `not_retryable` in any other state. */
    retryPayment: (id: string, key: Keyed = {}) =>
      call(api.POST('/pix/payments/{id}/retry', { body: {}, params: { ...byId(id).params, ...keyed(key) } })),
    /** Polls until nothing more happens by itself: `payout_failed` waits for the user, who can retry it. */
    waitForPayment: (id: string, wait?: WaitOptions<PixPayment>) =>
      waitUntil(() => payment(id), hasEnded, wait),

    /** @param amount minor units of the home currency: pence or cents. */
    withdraw: (amount: number, key: Keyed = {}) =>
      call(api.POST('/withdraws', { body: { amount }, params: keyed(key) })),
    withdraws: (listed: Listed = {}) =>
      list((query) => api.GET('/withdraws', { params: { query: { ...limit(listed), ...query } } })),

    transaction,
    transactions: (listed: Listed = {}) =>
      list((query) => api.GET('/transactions', { params: { query: { ...limit(listed), ...query } } })),
    /** Polls a deposit, payment or withdrawal by its transaction. A withdrawal can take a day. */
    waitForTransaction: (id: string, wait?: WaitOptions<Transaction>) =>
      waitUntil(() => transaction(id), hasEnded, wait),
  };
}

const byId = (id: string) => ({ params: { path: { id } } });

const limit = ({ pageSize }: Listed) => (pageSize === undefined ? {} : { limit: pageSize });

/** An answer that is no JSON is none. What the app aborted is its own reason. */
function asOurs(error: unknown): never {
  throw error instanceof SyntaxError || error instanceof TypeError ? new PonteUnreachable(error) : error;
}

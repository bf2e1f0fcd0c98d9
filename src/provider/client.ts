// Implements the port with the provider's HTTP API: one function for each operation of the contract.
import { formatDecimal } from '../domain/money.ts';
import { statedLifeMs } from '../domain/quote-life.ts';
import { OutcomeUnknown, UnreadableReply } from './errors.ts';
import { createProviderHttp, type ProviderHttpOptions, type WireCalls, type WireRequest } from './http.ts';
import { pageOf } from './list-page.ts';
import {
  accountFrom,
  bankFields,
  bankValidationFrom,
  brCodeFrom,
  contestationFrom,
  movementFrom,
  ownerFrom,
  payoutCheckFrom,
  payoutDetailsFrom,
  payoutFrom,
  pixKeyOwnerFrom,
  quoteFrom,
  transferDetailsFrom,
  transferFrom,
} from './mapping.ts';
import type {
  AccountCalls,
  CalledBack,
  ListRequest,
  LookupResult,
  OwnerCalls,
  PayoutCalls,
  PayoutDestination,
  PayoutToCheck,
  ProviderConnection,
  QuoteRequest,
  Snapshot,
  TransferCalls,
  WindowRequest,
} from './port.ts';
import { asRequested } from './quote-reply.ts';
import type { Wire, WireOperation } from './wire.ts';

/**
 * Opens the connection to the provider.
 * @param options `callbackUrl` is where the provider sends its callbacks. It contains the webhook secret, so it must not be logged.
 */
export function connectProvider(options: ProviderHttpOptions & { callbackUrl: string }): ProviderConnection {
  const http = createProviderHttp(options);
  return {
    for: (caller) => {
      const wire = wireOf(http.for(caller), options.callbackUrl);
      return {
        priority: caller.priority,
        ...ownerCalls(wire),
        ...accountCalls(wire),
        ...transferCalls(wire),
        ...payoutCalls(wire),
        setCallbackUrl: async (kind, uuid, url) => {
          const { operation, from } = updates[kind];
          const request = { path: { uuid }, body: { callback_url: url } };
          await wire.callOne({ providerRef: uuid }, from, operation, request);
        },
      };
    },
    state: http.state,
    close: http.close,
  };
}

type CallsOfOne = ReturnType<typeof wireOf>;

const wireOf = (calls: WireCalls, callback_url: string) => ({
  ...calls,
  callback_url,
  /** Calls an operation whose reply is one resource, and asserts that it is the requested one. */
  callOne: async <Mapped extends Identity>(
    requested: Identity,
    mapping: (reply: never) => Mapped,
    operation: WireOperation,
    request: WireRequest,
  ): Promise<Mapped> => about(requested, map(mapping, await calls.call<never>(operation, request))),
});

const ownerCalls = ({ call, callOne, callback_url }: CallsOfOne): OwnerCalls => ({
  createOwner: ({ handle }) =>
    callOne({ handle }, ownerFrom, 'createOwner', {
      body: { external_id: handle, mode: 'hosted', callback_url },
    }),
  getOwner: (uuid) => callOne({ providerRef: uuid }, ownerFrom, 'getOwner', { path: { uuid } }),
  findOwner: async (external_id) =>
    find(external_id, ownerFrom, await call('findOwners', { query: { external_id } })),
  restartOwner: ({ providerRef, handle, attempt }) =>
    callOne({ providerRef, handle }, ownerFrom, 'restartOwner', {
      path: { uuid: providerRef },
      body: { external_id: handle, attempt },
    }),
});

const accountCalls = ({ call, callOne, callList, callback_url }: CallsOfOne): AccountCalls => ({
  createAccount: ({ handle, ownerRef, currency }) =>
    callOne({ handle }, accountFrom, 'createAccount', {
      body: { external_id: handle, owner_uuid: ownerRef, currency, callback_url },
    }),
  getAccount: (uuid) => callOne({ providerRef: uuid }, accountFrom, 'getAccount', { path: { uuid } }),
  findAccount: async (external_id) =>
    find(external_id, accountFrom, await call('findAccounts', { query: { external_id } })),
  getMovement: (uuid, movement_uuid) =>
    callOne({ providerRef: movement_uuid, accountRef: uuid }, movementFrom, 'getMovement', {
      path: { uuid, movement_uuid },
    }),
  listMovements: async (uuid, page) =>
    pageOf(
      page,
      (reply: Wire['Movement']) => about({ accountRef: uuid }, movementFrom(reply)),
      await callList('listMovements', { path: { uuid }, query: pageQuery(page) }),
    ),
  listCompanyMovements: async (page) =>
    pageOf(page, movementFrom, await callList('listCompanyMovements', { query: pageQuery(page, 'created') })),
});

const transferCalls = ({ call, callOne, callList, callTimed, callback_url }: CallsOfOne): TransferCalls => ({
  createQuote: async (requested) => {
    const { reply, providerNow } = await callTimed<Wire['Quote']>('createQuote', {
      body: quoteBody(requested),
    });
    const { expiresAt, ...quote } = asRequested(requested, map(quoteFrom, reply));
    return { ...quote, lifeMs: statedLifeMs(expiresAt, providerNow, new Date()) };
  },

  createTransfer: ({ handle, quoteRef, sourceAccountRef, destinationAccountRef }) =>
    callOne({ handle }, transferFrom, 'createInternalTransfer', {
      body: {
        origin_id: handle,
        quote_uuid: quoteRef,
        source_account_uuid: sourceAccountRef,
        destination_account_uuid: destinationAccountRef,
        callback_url,
      },
    }),
  getTransfer: (uuid) =>
    callOne({ providerRef: uuid }, transferFrom, 'getInternalTransfer', { path: { uuid } }),
  findTransfer: async (origin_id) =>
    find(origin_id, transferFrom, await call('findInternalTransfers', { query: { origin_id } })),
  getTransferDetails: async (uuid) => {
    const details = map(transferDetailsFrom, await call('getInternalTransfer', { path: { uuid } }));
    about({ providerRef: uuid }, details.snapshot);
    return details;
  },
  listTransfers: async (page) =>
    pageOf(page, transferDetailsFrom, await callList('findInternalTransfers', { query: pageQuery(page) })),
});

const payoutCalls = ({ call, callOne, callList, callback_url }: CallsOfOne): PayoutCalls => ({
  createPayout: ({ handle, lookupRef, codeRef, ...payout }) =>
    callOne({ handle }, payoutFrom, 'createPayout', {
      rail: payout.destination.rail,
      body: {
        origin_id: handle,
        ...payoutFields(payout),
        ...(lookupRef !== undefined && { lookup_uuid: lookupRef }),
        ...(codeRef !== undefined && { br_code_uuid: codeRef }),
        callback_url,
      },
    }),
  checkPayout: async (payout) =>
    payoutCheckFrom(
      await call<Wire['PayoutCheck']>('createPayoutCheck', { body: payoutFields(payout) }),
      new Date(),
    ),
  reissuePayout: ({ providerRef, handle, attempt }) =>
    callOne({ providerRef, handle }, payoutFrom, 'reissuePayout', {
      path: { uuid: providerRef },
      body: { origin_id: handle, attempt },
    }),
  getPayout: (uuid) => callOne({ providerRef: uuid }, payoutFrom, 'getPayout', { path: { uuid } }),
  findPayout: async (origin_id) =>
    find(origin_id, payoutFrom, await call('findPayouts', { query: { origin_id } })),
  listPayouts: async (page) =>
    pageOf(page, payoutDetailsFrom, await callList('findPayouts', { query: pageQuery(page) })),

  createContestation: ({ payoutRef, handle, reason, description }) =>
    callOne({ handle }, contestationFrom, 'createContestation', {
      path: { uuid: payoutRef },
      body: { origin_id: handle, reason, description },
    }),
  getContestation: ({ payoutRef, providerRef }) =>
    callOne({ providerRef }, contestationFrom, 'getContestation', {
      path: { uuid: payoutRef, contestation_uuid: providerRef },
    }),

  validateBankDetails: async (details) =>
    bankValidationFrom(
      await call<Wire['BankAccountValidation']>('createBankAccountValidation', {
        body: { currency: details.currency, ...bankFields(details) },
      }),
    ),
  lookUpPixKey: async ({ ownerRef, ...key }) => {
    const reply = await call<Wire['PixKeyLookup']>('createPixKeyLookup', {
      body: { owner_uuid: ownerRef, pix_key: key.pixKey, pix_key_type: key.pixKeyType },
    });
    return reply.status === 'UNKNOWN' ? null : pixKeyOwnerFrom(key, reply);
  },
  readBrCode: async ({ ownerRef, text }) =>
    map(
      brCodeFrom,
      await call<Wire['BrCode']>('createBrCode', { body: { owner_uuid: ownerRef, payload: text } }),
    ),
});

const updates: Record<
  CalledBack,
  { operation: WireOperation; from: (reply: never) => Partial<Record<'providerRef', string>> }
> = {
  owner: { operation: 'updateOwner', from: ownerFrom },
  account: { operation: 'updateAccount', from: accountFrom },
  transfer: { operation: 'updateInternalTransfer', from: transferFrom },
  payout: { operation: 'updatePayout', from: payoutFrom },
};

function quoteBody(quote: QuoteRequest): Wire['QuoteCreate'] {
  const { sourceCurrency, destinationCurrency, markupBps } = quote;
  const subsidy = 'subsidy' in quote ? quote.subsidy : undefined;
  return {
    source_currency: sourceCurrency,
    destination_currency: destinationCurrency,
    ...('sourceAmountMinor' in quote
      ? { source_amount: formatDecimal(quote.sourceAmountMinor, sourceCurrency) }
      : { destination_amount: formatDecimal(quote.destinationAmountMinor, destinationCurrency) }),
    ...(markupBps === undefined ? {} : { markup_bps: markupBps }),
    ...(subsidy && {
      max_source_amount: formatDecimal(subsidy.maxSourceAmountMinor, sourceCurrency),
      subsidy_cap_bps: subsidy.capBps,
    }),
  };
}

const payoutFields = ({ sourceAccountRef, amountMinor, currency, destination }: PayoutToCheck) => ({
  source_account_uuid: sourceAccountRef,
  amount: formatDecimal(amountMinor, currency),
  currency,
  rail: destination.rail,
  destination: destinationFields(destination),
});

const destinationFields = (destination: PayoutDestination) =>
  destination.rail === 'PIX'
    ? {
        pix_key: destination.pixKey,
        pix_key_type: destination.pixKeyType,
        recipient_name: destination.recipientName,
      }
    : bankFields(destination.details);

// An amount with the wrong number of decimal places matches the contract's pattern but is still rejected.
function map<Reply, Mapped>(mapping: (reply: Reply) => Mapped, reply: Reply): Mapped {
  try {
    return mapping(reply);
  } catch (cause) {
    throw new UnreadableReply('reply', 'has an amount or time that cannot be read', { cause });
  }
}

const pageQuery = (
  page: ListRequest | WindowRequest,
  time: 'updated' | 'created' = 'updated',
): Record<string, string> => ({
  ...('window' in page && {
    [`${time}_from`]: page.window.from.toISOString(),
    [`${time}_to`]: page.window.to.toISOString(),
  }),
  ...(page.after !== null && { after: page.after }),
  limit: String(page.limit),
});

type Identity = Partial<Record<'handle' | 'providerRef' | 'accountRef', string>>;

/**
 * Asserts that a reply is about the requested resource. Otherwise it would be applied to the wrong row, and the effect that requested
 * it would be completed.
 * @throws OutcomeUnknown if it is about another resource.
 */
function about<Mapped extends Identity>(requested: Identity, mapped: Mapped): Mapped {
  if (!isAbout(requested, mapped)) throw new OutcomeUnknown('reply', 'is about another resource');
  return mapped;
}

// A provider that ignores the filter returns another company's object, which is treated as not found.
function find<Reply, Mapped extends Snapshot>(
  handle: string,
  mapping: (reply: Reply) => Mapped,
  page: { results: Reply[] },
): LookupResult<Mapped> | null {
  const mapped = page.results.map((reply) => map(mapping, reply));
  const [first, ...more] = mapped.filter((one) => isAbout({ handle }, one));
  if (first === undefined) return null;
  const others = more.filter(({ providerRef }) => providerRef !== first.providerRef);
  return others.length === 0 ? first : { ...first, others };
}

const isAbout = (requested: Identity, mapped: Identity): boolean =>
  (Object.keys(requested) as (keyof Identity)[]).every(
    (key) => requested[key]?.toLowerCase() === mapped[key]?.toLowerCase(),
  );

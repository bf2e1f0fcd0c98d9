// A sandbox over real HTTP, with a caller of its API and a listener for its callbacks.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { components } from '../../openapi/generated/provider.ts';
import type { SandboxOptions } from '../../sandbox/options.ts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';

export type Schemas = components['schemas'];

/** An answer: the body that the test expects, and the properties of an error. */
export interface Answer<Body> {
  status: number;
  body: Body & { code?: string };
}

export interface Upstream extends Sandbox {
  get<Body>(path: string): Promise<Answer<Body>>;
  post<Body>(path: string, body?: unknown): Promise<Answer<Body>>;
  patch<Body>(path: string, body: unknown): Promise<Answer<Body>>;
}

/** By default it settles immediately. */
export async function startUpstream(options: Partial<SandboxOptions> = {}): Promise<Upstream> {
  const sandbox = await startSandbox({ settleMs: 0, activateMs: 0, ...options });
  const call = async <Body>(method: string, path: string, body?: unknown): Promise<Answer<Body>> => {
    const response = await fetch(sandbox.url + path, {
      method,
      headers: headersFor(sandbox),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Answer<Body>['body'] };
  };
  return {
    ...sandbox,
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body),
    patch: (path, body) => call('PATCH', path, body),
  };
}

export const headersFor = ({ username, password, companyId }: Sandbox) => ({
  authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
  'x-company-id': companyId,
  'content-type': 'application/json',
});

let serial = 0;
export const handle = (what: string) => `${what}-${++serial}`;

export async function until<T>(
  look: () => Promise<T> | T,
  done: (value: T) => boolean,
  withinMs = 5000,
): Promise<T> {
  const end = Date.now() + withinMs;
  for (;;) {
    const value = await look();
    if (done(value)) return value;
    if (Date.now() > end) throw new Error(`still ${JSON.stringify(value)} after ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export async function createOwner(upstream: Upstream): Promise<Schemas['Owner']> {
  return (
    await upstream.post<Schemas['Owner']>('/v1/accounts/owners/', {
      external_id: handle('owner'),
      mode: 'hosted',
    })
  ).body;
}

export async function submitForm(url: string, fields: Record<string, string>) {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(fields) });
  return { status: response.status, text: await response.text() };
}

export const readOwner = async (upstream: Upstream, uuid: string) =>
  (await upstream.get<Schemas['Owner']>(`/v1/accounts/owners/${uuid}/`)).body;

export async function verifiedOwner(upstream: Upstream, name = 'Ada Silva'): Promise<Schemas['Owner']> {
  const { uuid, verification_url } = await createOwner(upstream);
  await submitForm(verification_url ?? '', { full_name: name, email: 'ada@example.com' });
  return until(
    () => readOwner(upstream, uuid),
    (owner) => owner.status !== 'PENDING',
  );
}

export const readAccount = async (upstream: Upstream, uuid: string) =>
  (await upstream.get<Schemas['Account']>(`/v1/accounts/${uuid}/`)).body;

export async function activeAccount(
  upstream: Upstream,
  owner: Schemas['Owner'],
  currency: Schemas['Currency'],
  callback_url?: string,
): Promise<Schemas['Account']> {
  const request = {
    external_id: handle('account'),
    owner_uuid: owner.uuid,
    currency,
    ...(callback_url && { callback_url }),
  };
  const { body } = await upstream.post<Schemas['Account']>('/v1/accounts/', request);
  return until(
    () => readAccount(upstream, body.uuid),
    (account) => account.status === 'ACTIVE',
  );
}

/** Pays in, as the account's own instructions say. */
export function deposit(
  upstream: Upstream,
  account: Schemas['Account'],
  amount: string,
  reference = 'Salary',
) {
  const { iban, sort_code: sortCode, account_number: accountNumber } = account.deposit_instructions ?? {};
  return upstream.post('/sandbox/deposits', { iban, sortCode, accountNumber, amount, reference });
}

export interface Wallet {
  owner: Schemas['Owner'];
  home: Schemas['Account'];
  brl: Schemas['Account'];
}

/** A verified person with 1,000.00 at home and an empty BRL account. */
export async function fundedWallet(
  upstream: Upstream,
  currency: 'GBP' | 'EUR' = 'GBP',
  callback_url?: string,
): Promise<Wallet> {
  const owner = await verifiedOwner(upstream);
  const home = await activeAccount(upstream, owner, currency, callback_url);
  const brl = await activeAccount(upstream, owner, 'BRL', callback_url);
  await deposit(upstream, home, '1000.00');
  return { owner, home, brl };
}

export const quote = async (upstream: Upstream, request: Partial<Schemas['QuoteCreate']>) =>
  (await upstream.post<Schemas['Quote']>('/v1/quotes/', request)).body;

export const quoteBrl = (upstream: Upstream, destination_amount: string, markup_bps = 100) =>
  quote(upstream, { source_currency: 'GBP', destination_currency: 'BRL', destination_amount, markup_bps });

export const transferBody = ({ home, brl }: Wallet, { uuid }: Schemas['Quote']) => ({
  origin_id: handle('transfer'),
  quote_uuid: uuid,
  source_account_uuid: home.uuid,
  destination_account_uuid: brl.uuid,
});

export const readTransfer = async (upstream: Upstream, uuid: string) =>
  (await upstream.get<Schemas['InternalTransfer']>(`/v1/internal_transfers/${uuid}/`)).body;

/** Converts into BRL and waits for the end. */
export async function convert(
  upstream: Upstream,
  wallet: Wallet,
  brlAmount: string,
): Promise<Schemas['InternalTransfer']> {
  const body = transferBody(wallet, await quoteBrl(upstream, brlAmount));
  const started = await upstream.post<Schemas['InternalTransfer']>('/v1/internal_transfers/', body);
  return until(
    () => readTransfer(upstream, started.body.uuid),
    (transfer) => transfer.status !== 'PENDING',
  );
}

export const pixBody = ({ brl }: Wallet, amount: string, pix_key = 'someone@pix.example') => ({
  origin_id: handle('payout'),
  source_account_uuid: brl.uuid,
  amount,
  currency: 'BRL' as const,
  rail: 'PIX' as const,
  destination: { pix_key, pix_key_type: 'email' as const, recipient_name: null },
});

export const fpsBody = ({ home }: Wallet, amount: string) => ({
  origin_id: handle('payout'),
  source_account_uuid: home.uuid,
  amount,
  currency: 'GBP' as const,
  rail: 'FPS' as const,
  destination: { account_holder_name: 'Ada Silva', account_number: '12345678', sort_code: '12-34-56' },
});

export const readPayout = async (upstream: Upstream, uuid: string) =>
  (await upstream.get<Schemas['Payout']>(`/v1/payouts/${uuid}/`)).body;

export const payoutBecomes = (upstream: Upstream, uuid: string, status: Schemas['PayoutStatus']) =>
  until(
    () => readPayout(upstream, uuid),
    (payout) => payout.status === status,
  );

export interface Ledger {
  balanced: boolean;
  totals: Record<string, string>;
  accounts: { account: string; currency: string; balance: string }[];
}

export const ledger = async (upstream: Upstream) => (await upstream.get<Ledger>('/sandbox/ledger')).body;

export const ledgerBalance = async (upstream: Upstream, account: string) =>
  (await ledger(upstream)).accounts.find((row) => row.account === account)?.balance ?? 'none';

export interface Listener {
  url: string;
  received: Schemas['Callback'][];
  /** The next answers' statuses; 200 when there is none left. */
  answers: number[];
  close(): Promise<void>;
}

export async function listen(): Promise<Listener> {
  const received: Schemas['Callback'][] = [];
  const answers: number[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push(JSON.parse(Buffer.concat(chunks).toString()) as Schemas['Callback']);
      response.statusCode = answers.shift() ?? 200;
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/hook`,
    received,
    answers,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

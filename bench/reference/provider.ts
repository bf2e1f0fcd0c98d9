// The references' calls to the provider. They use only the needed part of its contract, and check no reply against it.
import { Pool } from 'undici';
import type { components } from '../../openapi/generated/provider.ts';

type Schemas = components['schemas'];
export type Transfer = Schemas['InternalTransfer'];
export type Payout = Schemas['Payout'];

export type ProviderSettings = { baseUrl: string; username: string; password: string; companyId: string };
export type Provider = ReturnType<typeof createProvider>;

export const providerSettings = (env: NodeJS.ProcessEnv): ProviderSettings => ({
  baseUrl: env['PROVIDER_BASE_URL'] ?? '',
  username: env['PROVIDER_USERNAME'] ?? '',
  password: env['PROVIDER_PASSWORD'] ?? '',
  companyId: env['PROVIDER_COMPANY_ID'] ?? '',
});

/** The service has the same number of connections. */
const CONNECTIONS = 44;

export function createProvider({ baseUrl, username, password, companyId }: ProviderSettings) {
  const pool = new Pool(baseUrl, { connections: CONNECTIONS });
  const reading = {
    authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
    'x-company-id': companyId,
    accept: 'application/json',
  };
  const writing = { ...reading, 'content-type': 'application/json' };

  async function get<Reply>(path: string): Promise<Reply> {
    return replyOf(path, await pool.request({ method: 'GET', path, headers: reading }));
  }
  async function post<Reply>(path: string, body: object): Promise<Reply> {
    const request = { method: 'POST', path, headers: writing, body: JSON.stringify(body) } as const;
    return replyOf(path, await pool.request(request));
  }

  return {
    get,
    post,
    readBalanceMinor: async (accountId: string) =>
      minorOf((await get<Schemas['Account']>(`/v1/accounts/${accountId}/`)).balance),
    createQuote: (body: Schemas['QuoteCreate']) => post<Schemas['Quote']>('/v1/quotes/', body),
    createTransfer: (body: Schemas['InternalTransferCreate']) =>
      post<Transfer>('/v1/internal_transfers/', body),
    getTransfer: (uuid: string) => get<Transfer>(`/v1/internal_transfers/${uuid}/`),
    createPayout: (body: Schemas['PayoutCreate']) => post<Payout>('/v1/payouts/', body),
    getPayout: (uuid: string) => get<Payout>(`/v1/payouts/${uuid}/`),
    close: () => pool.destroy(),
  };
}

/** Converts decimal text in pounds, euros or reais to minor units. */
export const minorOf = (amount: string): number => Math.round(Number(amount) * 100);
export const decimalOf = (minor: number): string => (minor / 100).toFixed(2);

type Answer = { statusCode: number; body: { json: () => Promise<unknown> } };

/** @throws an error with the provider's answer, unless it is a success. */
async function replyOf<Reply>(path: string, { statusCode, body }: Answer): Promise<Reply> {
  const reply = await body.json();
  if (statusCode >= 300) throw new Error(`${path} answered ${statusCode} ${JSON.stringify(reply)}`);
  return reply as Reply;
}

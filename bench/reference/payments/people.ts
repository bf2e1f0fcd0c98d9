// A payer of the reference service: a verified user with accounts and money at the provider, and a session.
import { randomUUID } from 'node:crypto';
import { fillInHostedPage, sendMoney } from '../../../harness/people/sandbox.ts';
import { until } from '../../../harness/people/until.ts';
import type { components } from '../../../openapi/generated/provider.ts';
import type { Provider } from '../provider.ts';
import type { SessionRequest } from './sessions.ts';

type Schemas = components['schemas'];
type Account = Schemas['Account'];

export type Around = { url: string; sandboxUrl: string; provider: Provider; callbackUrl: string };

/** @returns the token of the session. */
export async function makeReferencePayer(around: Around, name: string): Promise<string> {
  const ownerRef = await verifiedOwner(around);
  const [home, reais] = [
    await openAccount(around, ownerRef, 'GBP'),
    await openAccount(around, ownerRef, 'BRL'),
  ];
  const { account_number: accountNumber = '', sort_code: sortCode = '' } = home.deposit_instructions ?? {};
  await sendMoney(around, { accountNumber, sortCode }, '1000000.00');
  return startSession(around, { name, accounts: { GBP: home.uuid, BRL: reais.uuid } });
}

async function verifiedOwner({ provider, sandboxUrl }: Around): Promise<string> {
  const request = { external_id: randomUUID(), mode: 'hosted' };
  const { uuid, verification_url } = await provider.post<Schemas['Owner']>('/v1/accounts/owners/', request);
  await fillInHostedPage({ sandboxUrl }, verification_url ?? '');
  const read = () => provider.get<Schemas['Owner']>(`/v1/accounts/owners/${uuid}/`);
  await until(read, ({ status }) => status === 'COMPLETED');
  return uuid;
}

async function openAccount(
  { provider, callbackUrl }: Around,
  ownerRef: string,
  currency: Account['currency'],
): Promise<Account> {
  const external_id = randomUUID();
  const request = { external_id, owner_uuid: ownerRef, currency, callback_url: callbackUrl };
  const { uuid } = await provider.post<Account>('/v1/accounts/', request);
  return until(
    () => provider.get<Account>(`/v1/accounts/${uuid}/`),
    ({ status }) => status === 'ACTIVE',
  );
}

async function startSession({ url }: Around, request: SessionRequest): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/sessions`, { method: 'POST', headers, body: JSON.stringify(request) });
  const { sessionToken } = (await response.json()) as { sessionToken: string };
  return sessionToken;
}

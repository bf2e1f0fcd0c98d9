// The steps of a person outside the app, in the sandbox: gets an ID token, fills in the hosted page, pays money in.
import type { TokenRequest } from '../../sandbox/identity/tokens.ts';

export type Sandbox = {
  sandboxUrl: string;
  /** Another implementation of fetch, such as one that repeats a request. */
  fetchSandbox?: (address: string, init: RequestInit) => Promise<Response>;
};

/** The bank details to send money to: a British account number with its sort code, or an IBAN. */
export type DepositInstructions = { accountNumber?: string; sortCode?: string; iban?: string };

/**
 * Returns an ID token of the identity provider A or B.
 * @throws if the sandbox does not answer with a success.
 */
export async function mintIdToken(
  sandbox: Sandbox,
  letter: 'a' | 'b',
  claims: TokenRequest,
): Promise<string> {
  const minted = await postJson<{ idToken: string }>(sandbox, `/identity/${letter}/token`, claims);
  return minted.idToken;
}

/**
 * Fills in the hosted page of a verification.
 * @throws if the page does not answer with a success.
 */
export async function fillInHostedPage(
  sandbox: Sandbox,
  verificationUrl: string,
  { fullName = 'Ada Silva', email = 'ada@example.com' } = {},
): Promise<void> {
  const body = new URLSearchParams({ full_name: fullName, email });
  await post(sandbox, verificationUrl, { body });
}

export type Sent = { amount: string; currency: string; reference: string | null };

/**
 * Sends money from a bank. It has arrived at the provider when this resolves, and the service learns of it afterwards.
 * @param amount pounds or euros, as decimal text.
 * @param reference the payer's text.
 * @throws if the sandbox knows no such account, or does not answer with a success.
 */
export const sendMoney = (
  sandbox: Sandbox,
  { accountNumber, sortCode, iban }: DepositInstructions,
  amount: string,
  reference?: string,
): Promise<Sent> =>
  postJson<Sent>(sandbox, '/sandbox/deposits', { accountNumber, sortCode, iban, amount, reference });

async function postJson<Reply>(sandbox: Sandbox, path: string, body: unknown): Promise<Reply> {
  const headers = { 'content-type': 'application/json' };
  const response = await post(sandbox, sandbox.sandboxUrl + path, { headers, body: JSON.stringify(body) });
  return response.json() as Promise<Reply>;
}

async function post(
  { fetchSandbox = fetch }: Sandbox,
  address: string,
  init: RequestInit,
): Promise<Response> {
  const response = await fetchSandbox(address, { method: 'POST', ...init });
  if (!response.ok) throw new Error(`${address} answered ${response.status}: ${await response.text()}`);
  return response;
}

// The payers of the benchmark: signed in, verified, with enough money for all they are going to pay.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'undici';

export type Payer = { authorization: string };

/** One call of the API; the body of anything but a 2xx becomes the error's message. */
export async function call<Reply>(
  pool: Pool,
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const response = await pool.request({
    method,
    path,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await response.body.text();
  if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${response.statusCode} ${text}`);
  return JSON.parse(text) as Reply;
}

/** Signs one user in, up to an account with money on it. */
export async function makePayer(api: Pool, sandbox: Pool, name: string): Promise<Payer> {
  const claims = { subject: randomUUID(), email: `${name}@example.com`, emailVerified: true, name };
  const { idToken } = await call<{ idToken: string }>(sandbox, 'POST', '/identity/b/token', claims);
  const { sessionToken } = await call<{ sessionToken: string }>(api, 'POST', '/auth/session', {
    provider: 'identity_provider_b',
    idToken,
  });
  const headers = { authorization: `Bearer ${sessionToken}` };
  await call(api, 'PATCH', '/me', { homeCurrency: 'GBP' }, headers);
  const { verificationUrl } = await call<{ verificationUrl: string }>(api, 'POST', '/kyc/start', {}, headers);
  const form = new URLSearchParams({ full_name: 'Ada Silva', email: `${name}@example.com` });
  await sandbox.request({
    method: 'POST',
    path: new URL(verificationUrl).pathname,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
  });
  // Reading the verification makes the service ask the provider; no callback arrives.
  await until(
    () => call<{ hasActiveAccount: boolean }>(api, 'GET', '/kyc/status', undefined, headers),
    ({ hasActiveAccount }) => hasActiveAccount,
  );
  type Me = {
    deposit: { accountNumber: string; sortCode: string } | null;
    balance: { amount: number } | null;
  };
  const me = await until(
    () => call<Me>(api, 'GET', '/me', undefined, headers),
    ({ deposit }) => deposit !== null,
  );
  await call(sandbox, 'POST', '/sandbox/deposits', { ...me.deposit, amount: '1000000.00' });
  await until(
    () => call<Me>(api, 'GET', '/me', undefined, headers),
    ({ balance }) => (balance?.amount ?? 0) > 0,
  );
  return headers;
}

async function until<Seen>(look: () => Promise<Seen>, isGood: (seen: Seen) => boolean): Promise<Seen> {
  for (let tries = 0; tries < 200; tries += 1) {
    const seen = await look();
    if (isGood(seen)) return seen;
    await pause(100);
  }
  throw new Error('a payer could not be made ready');
}

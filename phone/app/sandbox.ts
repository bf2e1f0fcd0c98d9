// The only calls that do not go to the API: the sign-in of the phone's operating system, and money sent from a bank. They are
// simulated by the sandbox. It also serves this page, so the addresses are relative.
import type { Me, SessionRequest } from '@ponte/client';
import { t } from './texts/t.ts';

export type Claims = { name: string; email: string; nonce: string };

/** Returns the ID token that a phone's own sign-in would provide. The same e-mail address is the same person again. */
export async function mintIdToken(
  provider: SessionRequest['provider'],
  { name, email, nonce }: Claims,
): Promise<string> {
  const letter = provider === 'identity_provider_a' ? 'a' : 'b';
  const subject = `phone-${email.trim().toLowerCase()}`;
  const claims = {
    subject,
    email: email.trim(),
    emailVerified: true,
    nonce,
    ...(name.trim() && { name: name.trim() }),
  };
  const { idToken } = (await post(`/identity/${letter}/token`, claims)) as { idToken: string };
  return idToken;
}

/** @param amount decimal text, in the currency of the account. */
export async function sendDeposit(to: NonNullable<Me['deposit']>, amount: string): Promise<void> {
  const { accountNumber, sortCode, iban } = to;
  await post('/sandbox/deposits', { accountNumber, sortCode, iban, amount, reference: t('From the phone') });
}

/** Adds this address, to which the hosted page leads back when it is done. */
export const withReturn = (verificationUrl: string): string => {
  const address = new URL(verificationUrl);
  address.searchParams.set('return_to', '/phone/#/verify');
  return address.href;
};

/**
 * The address in the sandbox's console of the resource that has this id.
 * @param id an id that the provider also knows: an end-to-end id, or the number of the person's account.
 */
export const consoleAddressOf = (id: string): string => `/console/find?q=${encodeURIComponent(id)}`;

/** A static code that the Banco Central publishes as an example. */
export const EXAMPLE_CODE =
  '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR' +
  '5913Fulano de Tal6008BRASILIA62070503***63041D3D';

/** `message` can be shown to the person. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';
}

async function post(path: string, body: unknown): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) }).catch(
    (cause: unknown) => {
      throw new SandboxError(t('The sandbox does not answer.'), { cause });
    },
  );
  const reply = (await response.json()) as { detail?: string };
  if (!response.ok)
    throw new SandboxError(t('The sandbox refused: {reason}.', { reason: reply.detail ?? response.status }));
  return reply;
}

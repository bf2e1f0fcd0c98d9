// ID tokens, signed like those of the two native identity providers.
import { SignJWT } from 'jose';
import { refuse } from '../provider/refusal.ts';
import type { ProviderLetter, SigningKey } from './keys.ts';

export const DEFAULT_AUDIENCE: Record<ProviderLetter, string> = {
  a: 'com.example.ponte',
  b: 'ponte-client.apps.example',
};

const DEFAULT_LIFE_SECONDS = 3600;

export interface TokenRequest {
  subject?: string;
  email?: string;
  emailVerified?: boolean;
  name?: string;
  audience?: string;
  /** The nonce of the sign-in, as the app gave it. */
  nonce?: string;
  /** Provider B spells its issuer with and without `https://`, like Google. */
  issuerWithoutScheme?: boolean;
  /** A negative number makes a token that expired that long ago. */
  expiresInSeconds?: number;
}

/** Signs any claims for any subject: this is a sandbox. `now` is in milliseconds. */
export function mintIdToken(
  letter: ProviderLetter,
  issuer: string,
  key: SigningKey,
  request: TokenRequest,
  now: number,
): Promise<string> {
  if (!request.subject) throw refuse('invalid_request', 'subject is needed');
  const life = request.expiresInSeconds ?? DEFAULT_LIFE_SECONDS;
  if (!Number.isInteger(life)) throw refuse('invalid_request', 'expiresInSeconds must be a whole number');
  if (request.issuerWithoutScheme && letter !== 'b')
    throw refuse('invalid_request', 'only provider b has a second issuer');
  const seconds = Math.floor(now / 1000);
  const { email, emailVerified, name, nonce } = request;
  const claims = { email, email_verified: emailVerified, name, nonce };
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', kid: key.kid, typ: 'JWT' })
    .setIssuer(request.issuerWithoutScheme ? withoutScheme(issuer) : issuer)
    .setAudience(request.audience ?? DEFAULT_AUDIENCE[letter])
    .setSubject(request.subject)
    .setIssuedAt(life > 0 ? seconds : seconds + life - 60)
    .setExpirationTime(seconds + life)
    .sign(key.privateKey);
}

export const withoutScheme = (issuer: string): string => issuer.replace(/^https?:\/\//, '');

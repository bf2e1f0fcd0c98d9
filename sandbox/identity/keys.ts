// The signing key of an identity provider. It is generated once and kept in the store.
import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import { v4 as uuidv4 } from 'uuid';
import type { SandboxContext } from '../context.ts';

export type ProviderLetter = 'a' | 'b';

export interface SigningKey {
  kid: string;
  privateKey: CryptoKey;
  publicJwk: JWK;
}

export async function loadSigningKey(context: SandboxContext, letter: ProviderLetter): Promise<SigningKey> {
  const name = `identity-${letter}-key`;
  const read = () =>
    context.store.get<{ value: string }>('select value from settings where name = ?', name)?.value;
  if (read() === undefined)
    context.store.run('insert or ignore into settings (name, value) values (?, ?)', name, await makeKey());
  const jwk = JSON.parse(read() ?? '{}') as JWK & { kid: string };
  const { kty, n, e, kid } = jwk;
  return {
    kid,
    privateKey: (await importJWK(jwk, 'RS256')) as CryptoKey,
    publicJwk: { kty, n, e, kid, alg: 'RS256', use: 'sig' } as JWK,
  };
}

async function makeKey(): Promise<string> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return JSON.stringify({ ...(await exportJWK(privateKey)), kid: uuidv4() });
}

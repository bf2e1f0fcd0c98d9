// An identity provider whose keys the test holds, for tokens that no honest one would sign.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, SignJWT } from 'jose';

type Signature = { key?: CryptoKey | Uint8Array; alg?: string; kid?: string };

export type TestIdentityProvider = {
  issuer: string;
  jwksUrl: string;
  /** Text of the public key: what an attacker can have. */
  publicKey: string;
  /** The claims of a good token, changed as told; undefined takes a claim away. */
  sign: (claims?: Record<string, unknown>, signature?: Signature) => Promise<string>;
  stop: () => Promise<void>;
};

export async function startIdentityProvider(audience: string): Promise<TestIdentityProvider> {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'test', alg: 'RS256', use: 'sig' }];
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    jwksUrl: `${issuer}/jwks.json`,
    publicKey: await exportSPKI(publicKey),
    sign: (claims = {}, { key = privateKey, alg = 'RS256', kid = 'test' } = {}) => {
      const now = Math.floor(Date.now() / 1000);
      const usual = { iss: issuer, aud: audience, sub: 'somebody', iat: now, exp: now + 600 };
      return new SignJWT({ ...usual, ...claims }).setProtectedHeader({ alg, kid }).sign(key);
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

// An identity provider whose keys the test controls. It counts the requests for them.
import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Base, ecdsa, rsa } from './forge.ts';

export type Pair = { kid: string; publicKey: KeyObject; privateKey: KeyObject };
export type Issuer = {
  url: string;
  audience: string;
  jwksUrl: string;
  rsa: Pair;
  ec: Pair;
  keySet: () => string;
  /** Publishes one more key, as providers do before they sign with it. */
  addKey: () => Pair;
  /** Publishes one more entry as it is, which need not be a key. */
  addEntry: (entry: unknown) => void;
  withdraw: (pair: Pair) => void;
  /** The number of requests so far, for any path. */
  requestCount: () => number;
  fail: (fails: boolean) => void;
  /** The claims and key of an honest token for a new user. */
  base: (pair?: Pair) => Base;
  stop: () => Promise<void>;
};

const pair = (publicKey: KeyObject, privateKey: KeyObject): Pair => ({
  kid: randomUUID(),
  publicKey,
  privateKey,
});
export const rsaPair = (modulusLength = 2048): Pair => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength });
  return pair(publicKey, privateKey);
};
export const ecPair = (namedCurve = 'P-256'): Pair => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve });
  return pair(publicKey, privateKey);
};

const isRsa = ({ publicKey }: Pair): boolean => publicKey.asymmetricKeyType === 'rsa';
const algorithmOf = (of: Pair): string => (isRsa(of) ? 'RS256' : 'ES256');
export const jwkOf = (of: Pair) => ({
  ...of.publicKey.export({ format: 'jwk' }),
  kid: of.kid,
  alg: algorithmOf(of),
  use: 'sig',
});

export async function startIssuer(audience: string): Promise<Issuer> {
  const [signing, curve] = [rsaPair(), ecPair()];
  const published = [signing, curve];
  const entries: unknown[] = [];
  const keySet = () => JSON.stringify({ keys: [...entries, ...published.map(jwkOf)] });
  let requestCount = 0;
  let fails = false;
  const server = createServer((_request, response) => {
    requestCount += 1;
    response.writeHead(fails ? 503 : 200, { 'content-type': 'application/json' }).end(keySet());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    audience,
    jwksUrl: `${url}/jwks.json`,
    rsa: signing,
    ec: curve,
    keySet,
    addKey: () => {
      const added = rsaPair();
      published.push(added);
      return added;
    },
    addEntry: (entry) => void entries.push(entry),
    withdraw: (withdrawn) => void published.splice(published.indexOf(withdrawn), 1),
    requestCount: () => requestCount,
    fail: (now) => {
      fails = now;
    },
    base: (signer = signing) => honest(url, audience, signer),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function honest(iss: string, aud: string, signer: Pair): Base {
  const now = Math.floor(Date.now() / 1000);
  const sub = randomUUID();
  const email = 'ada@example.com';
  return {
    header: { alg: algorithmOf(signer), kid: signer.kid, typ: 'JWT' },
    claims: { iss, aud, sub, iat: now, exp: now + 600, email, email_verified: true, name: 'Ada Silva' },
    sign: isRsa(signer) ? rsa(signer.privateKey) : ecdsa(signer.privateKey),
  };
}

/** The audience of a second app of the service, which signs in at the same providers. */
export const SECOND_AUDIENCE = 'com.example.ponte.preview';

/** The second spelling of an issuer, without a scheme, as Google has one. */
export const secondIssuer = (letter: 'A' | 'B'): string => `accounts.${letter.toLowerCase()}.example`;

export const settingsOf = (letter: 'A' | 'B', { url, jwksUrl, audience }: Issuer) => ({
  [`IDENTITY_${letter}_ISSUER`]: `${url}, ${secondIssuer(letter)}`,
  [`IDENTITY_${letter}_JWKS_URL`]: jwksUrl,
  [`IDENTITY_${letter}_AUDIENCE`]: `${audience}, ${SECOND_AUDIENCE}`,
});

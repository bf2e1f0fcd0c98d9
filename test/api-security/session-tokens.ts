// Session tokens that are not accepted. Each differs from an accepted one only in the thing that its name says.
import { randomUUID } from 'node:crypto';
import {
  type Base,
  base64,
  base64url,
  type Change,
  flipped,
  forge,
  hmac,
  joined,
  type Parts,
  resigned,
  respelled,
  rsa,
  strayBits,
  twice,
  written,
} from './forge.ts';
import { type Issuer, jwkOf } from './issuer.ts';

export type House = {
  userId: string;
  secret: string;
  /** None of them may sign a session. */
  otherSecrets: Record<string, string>;
  identity: Issuer;
};
type Case = [what: string, make: Change | ((house: House) => string)];

const NUL = '\u0000';
const now = () => Math.floor(Date.now() / 1000);

/** A session as the service itself issues it. */
export const honestSession = ({ userId, secret }: Pick<House, 'userId' | 'secret'>): Base => ({
  header: { alg: 'HS256', typ: 'JWT' },
  claims: { sub: userId, iat: now(), exp: now() + 600 },
  sign: hmac(secret),
});

const made =
  (change: (house: House) => Change) =>
  (house: House): string =>
    forge(honestSession(house), change(house));

const secrets: Case[] = [
  ['another secret', { sign: hmac('x'.repeat(32)) }],
  ['an empty secret', { sign: hmac('') }],
  ['a secret of zeros', { sign: hmac(Buffer.alloc(32)) }],
  ['a secret out of a book', { sign: hmac('your-256-bit-secret') }],
  ['the secret without its last letter', made(({ secret }) => ({ sign: hmac(secret.slice(0, -1)) }))],
  ['the secret with a line break', made(({ secret }) => ({ sign: hmac(`${secret}\n`) }))],
  ['the secret decoded', made(({ secret }) => ({ sign: hmac(Buffer.from(secret, 'base64url')) }))],
  ['the user’s id for a secret', made(({ userId }) => ({ sign: hmac(userId) }))],
  ...['PII_ENCRYPTION_KEY', 'WEBHOOK_SECRET', 'PROVIDER_PASSWORD'].map(
    (name): Case => [
      `the service’s ${name} for a secret`,
      made(({ otherSecrets }) => ({ sign: hmac(otherSecrets[name] ?? '') })),
    ],
  ),
  [
    'an identity provider’s key',
    made(({ identity }) => ({
      header: { alg: 'RS256', kid: identity.rsa.kid },
      sign: rsa(identity.rsa.privateKey),
    })),
  ],
  [
    'an identity provider’s public key for a secret',
    made(({ identity }) => ({
      sign: hmac(identity.rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString()),
    })),
  ],
  ['a key of its own', { header: { jwk: { kty: 'oct', k: base64url('secret') } }, sign: hmac('secret') }],
  [
    'keys at an address of its own',
    made(({ identity }) => ({ header: { jku: identity.jwksUrl }, sign: hmac('secret') })),
  ],
  ['a path that holds nothing for a secret', { header: { kid: '../../../dev/null' }, sign: hmac('') }],
];

const algorithms: Case[] = [
  ...(['384', '512'] as const).map(
    (bits): Case => [
      `HS${bits} with the right secret`,
      made(({ secret }) => ({ header: { alg: `HS${bits}` }, sign: hmac(secret, `sha${bits}`) })),
    ],
  ),
  ['the hash of another algorithm', made(({ secret }) => ({ sign: hmac(secret, 'sha512') }))],
  ...['hs256', 'HS256 ', `HS256${NUL}`, 'RS256', 'ES256', 'EdDSA', '', null, undefined, ['HS256'], 256].map(
    (alg): Case => [`alg ${JSON.stringify(alg)}`, { header: { alg } }],
  ),
  ...['none', 'None', 'NONE', 'nOnE', 'none ', ['none'], null].map(
    (alg): Case => [
      `alg ${JSON.stringify(alg)} without a signature`,
      { header: { alg }, finish: ([header, claims]: Parts) => `${header}.${claims}.` },
    ],
  ),
  ...['at+jwt', 'JOSE', '', null, undefined, 5, ['JWT']].map(
    (typ): Case => [`typ ${JSON.stringify(typ)}`, { header: { typ } }],
  ),
  ['a critical name that is not known', { header: { crit: ['x'], x: 1 } }],
  ['an empty list of critical names', { header: { crit: [] } }],
  ['claims that are not encoded', { header: { crit: ['b64'], b64: false }, payload: (json) => json }],
];

const claimed = (name: string, values: unknown[]): Case[] =>
  values.map((value): Case => [`${name} ${JSON.stringify(value)}`, { claims: { [name]: value } }]);

const timed = (name: string, values: Record<string, unknown>): Case[] =>
  Object.entries(values).map(([what, value]): Case => [`${name}: ${what}`, { claims: { [name]: value } }]);

const claims: Case[] = [
  ...claimed('sub', [
    undefined,
    null,
    '',
    5,
    [],
    {},
    "' or 1=1 --",
    '00000000-0000-0000-0000-000000000000',
    '0198c2f5-0c6f-7b8e-8f21-5e0b7a1d9c46',
    '*',
  ]),
  ['the id of no user', made(() => ({ claims: { sub: randomUUID() } }))],
  ...(
    [
      ['in capitals', (id: string) => id.toUpperCase()],
      ['with a space', (id: string) => `${id} `],
      ['with a line break', (id: string) => `${id}\n`],
      ['with U+0000', (id: string) => id + NUL],
      ['in braces', (id: string) => `{${id}}`],
      ['as a name', (id: string) => `urn:uuid:${id}`],
      ['in a list', (id: string) => [id]],
    ] as const
  ).map(
    ([what, write]): Case => [
      `the user’s id ${what}`,
      made(({ userId }) => ({ claims: { sub: write(userId) } })),
    ],
  ),
  ...['user_id', 'userId', 'uid', 'id'].map(
    (name): Case => [
      `the user’s id as ${name}`,
      made(({ userId }) => ({ claims: { sub: undefined, [name]: userId } })),
    ],
  ),
  ...timed('exp', {
    'a second ago': now() - 1,
    'years ago': now() - 1e8,
    'as text': String(now() + 600),
    'in milliseconds': Date.now() + 600_000,
  }),
  ...claimed('exp', [undefined, null, 0, -1, 'never', true, 1e300]),
  ...timed('iat', { 'in ten minutes': now() + 600, 'in milliseconds': Date.now() }),
  ...claimed('iat', [undefined, null, -1, 1e300, 'now', true]),
  ...timed('nbf', { 'in ten minutes': now() + 600 }),
  ...claimed('nbf', [null, 1e300, 'now']),
  ...['NaN', '1e400', '-1e400', '9'.repeat(400)].map(
    (text): Case => [`exp ${text.slice(0, 10)}`, { claimsText: written('exp', text) }],
  ),
  ['exp twice', { claimsText: twice('exp', now() - 60) }],
  ['sub twice', { claimsText: twice('sub', '') }],
  ['claims in a list', { claimsText: (json) => `[${json}]` }],
  ['claims inherited from their prototype', { claimsText: (json) => `{"__proto__":${json}}` }],
  ['no claims', { claimsText: () => '{}' }],
];

const spelled = (what: string, finish: (parts: Parts) => string): Case => [what, { finish }];
const spellings: Case[] = [
  spelled('a dot in front', (parts) => `.${joined(parts)}`),
  spelled('a dot behind', (parts) => `${joined(parts)}.`),
  spelled('two dots', ([h, c, s]) => `${h}..${c}.${s}`),
  spelled('a fourth part', (parts) => `${joined(parts)}.e30`),
  spelled('five parts, like a JWE', ([h, c, s]) => `${h}.e30.${c}.${s}.e30`),
  spelled('two parts', ([h, c]) => `${h}.${c}`),
  spelled('escaped dots', (parts) => parts.join('%2E')),
  spelled('quotation marks', (parts) => `"${joined(parts)}"`),
  spelled('a comma and itself again', (parts) => `${joined(parts)},${joined(parts)}`),
  spelled('everything encoded once more', (parts) => base64url(joined(parts))),
  spelled('the flat JSON form', ([h, c, s]) => JSON.stringify({ payload: c, protected: h, signature: s })),
  ['the standard alphabet, signed as well', { claims: { name: '~~~???~~~' }, encode: base64 }],
  ['a padded signature', { finish: respelled((text) => `${text}=`) }],
  ['a signature that ends in stray bits', { finish: respelled(strayBits) }],
  [
    'a signature in hexadecimal',
    { finish: respelled((text) => Buffer.from(text, 'base64url').toString('hex')) },
  ],
  ['no signature', { finish: respelled(() => '') }],
  ['a signature without its last byte', { finish: resigned((bytes) => bytes.subarray(0, -1)) }],
  ['half a signature', { finish: resigned((bytes) => bytes.subarray(0, 16)) }],
  ['a signature of zeros', { finish: resigned(({ length }) => Buffer.alloc(length)) }],
  ...[0, 15, -1].map(
    (place): Case => [`a flipped bit in byte ${place}`, { finish: resigned(flipped(place)) }],
  ),
  [
    'the claims of somebody else’s',
    made((house) => {
      const [, theirs = ''] = forge({ ...honestSession(house), claims: { sub: randomUUID() } }).split('.');
      return { finish: ([header, , signature]) => joined([header, theirs, signature]) };
    }),
  ],
];

const otherTokens: Case[] = [
  ['an ID token', ({ identity }) => forge(identity.base())],
  [
    'an ID token about the user',
    ({ identity, userId }) => forge(identity.base(), { claims: { sub: userId } }),
  ],
  [
    'an ID token with the claims of a session alone',
    (house) => forge({ ...house.identity.base(), claims: honestSession(house).claims }),
  ],
  ['the user’s id', ({ userId }) => userId],
  ['the session secret', ({ secret }) => secret],
  ['a published key', ({ identity }) => base64url(JSON.stringify(jwkOf(identity.rsa)))],
];

/** The name of each case, and the function that makes the whole token. */
export const hostileSessions: [what: string, make: (house: House) => string][] = [
  ...secrets,
  ...algorithms,
  ...claims,
  ...spellings,
  ...otherTokens,
].map(([what, make]) => [what, typeof make === 'function' ? make : made(() => make)]);

/** Authorization headers that are wrong around a session that would be accepted. */
export const hostileAuthorizations: [what: string, write: (token: string) => string][] = [
  ['a token alone', (token) => token],
  ['a scheme alone', () => 'Bearer'],
  ['a scheme and a space', () => 'Bearer '],
  ['another scheme', (token) => `Basic ${token}`],
  ['a scheme of its own', (token) => `Token ${token}`],
  ['a scheme with more to it', (token) => `BearerX ${token}`],
  ['two schemes', (token) => `Bearer Bearer ${token}`],
  ['a comma', (token) => `Bearer, ${token}`],
  ['an equals sign', (token) => `Bearer=${token}`],
  ['a parameter', (token) => `Bearer token="${token}"`],
  ['two tokens', (token) => `Bearer ${token} ${token}`],
  ['another one before it', (token) => `Bearer e30.e30.e30, Bearer ${token}`],
  ['a user and a password', (token) => `Basic ${base64(`${token}:`)}`],
  ['letters of no alphabet', () => 'Bearer \u00e9\u00ff'],
];

// ID tokens that prove nothing. Each differs from one that is accepted in the one thing it is named for.
import { generateKeyPairSync, privateEncrypt } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import {
  type Base,
  base64,
  base64url,
  type Change,
  ecdsa,
  flipped,
  forge,
  hmac,
  joined,
  type Parts,
  resigned,
  respelled,
  rsa,
  rsaPss,
  strayBits,
  twice,
  written,
} from './forge.ts';
import { ecPair, type Issuer, jwkOf } from './issuer.ts';

export type Parties = {
  /** Whose token it claims to be, and the other one that the service trusts as well. */
  own: Issuer;
  other: Issuer;
  /** Keys that nobody published, at an address that nobody should ask. */
  attacker: Issuer;
  sessionToken: string;
  sessionSecret: string;
};

/** A name, and the token; or only what is changed in an honest RS256 token. */
type Case = [what: string, make: Change | ((parties: Parties) => string)];
export type Hostile = [what: string, make: (parties: Parties) => string];

const NUL = '\u0000';
const now = () => Math.floor(Date.now() / 1000);
const pem = ({ own }: Parties) => own.rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString();
const jwk = ({ own }: Parties) => own.rsa.publicKey.export({ format: 'jwk' });

const made =
  (change: (parties: Parties) => Change) =>
  (parties: Parties): string =>
    forge(parties.own.base(), change(parties));
const onCurve =
  (change: (parties: Parties) => Change) =>
  (parties: Parties): string =>
    forge(parties.own.base(parties.own.ec), change(parties));

const symmetric = (secret: (parties: Parties) => string | Buffer, alg = 'HS256') =>
  made((parties) => ({
    header: { alg },
    sign: hmac(secret(parties), alg.replace(/^\D*/, 'sha')),
  }));

const confusedAlgorithms: Case[] = [
  ['the public key in PEM as a secret', symmetric(pem)],
  ['the same without its last line break', symmetric((parties) => pem(parties).trimEnd())],
  ['the same for HS384', symmetric(pem, 'HS384')],
  ['the same for HS512', symmetric(pem, 'HS512')],
  [
    'the public key in PKCS#1 as a secret',
    symmetric(({ own }) => own.rsa.publicKey.export({ type: 'pkcs1', format: 'pem' }).toString()),
  ],
  [
    'the public key in DER as a secret',
    symmetric(({ own }) => own.rsa.publicKey.export({ type: 'spki', format: 'der' })),
  ],
  ['the public JWK as a secret', symmetric((parties) => JSON.stringify(jwk(parties)))],
  ['the published JWK as a secret', symmetric(({ own }) => JSON.stringify(jwkOf(own.rsa)))],
  ['the whole key set as a secret', symmetric(({ own }) => own.keySet())],
  ['the modulus as a secret', symmetric((parties) => Buffer.from(String(jwk(parties).n), 'base64url'))],
  ['the modulus as it is written as a secret', symmetric((parties) => String(jwk(parties).n))],
  ['the key id as a secret', symmetric(({ own }) => own.rsa.kid)],
  ['an empty secret', symmetric(() => '')],
  ['the secret of our sessions', symmetric(({ sessionSecret }) => sessionSecret)],
  ['an HMAC that calls itself RS256', made((parties) => ({ sign: hmac(pem(parties)) }))],
  [
    'the curve’s public key in PEM as a secret',
    onCurve(({ own }) => ({
      header: { alg: 'HS256' },
      sign: hmac(own.ec.publicKey.export({ type: 'spki', format: 'pem' }).toString()),
    })),
  ],
  ...(
    [
      ['RS384', rsa, 'sha384'],
      ['RS512', rsa, 'sha512'],
      ['RS1', rsa, 'sha1'],
      ['PS256', rsaPss, 'sha256'],
      ['PS384', rsaPss, 'sha384'],
      ['PS512', rsaPss, 'sha512'],
    ] as const
  ).map(
    ([alg, signer, hash]): Case => [
      `${alg} by the right key`,
      made(({ own }) => ({ header: { alg }, sign: signer(own.rsa.privateKey, hash) })),
    ],
  ),
  ['RS256 with the hash of another one', made(({ own }) => ({ sign: rsa(own.rsa.privateKey, 'sha512') }))],
  ['RS256 with the weakest hash', made(({ own }) => ({ sign: rsa(own.rsa.privateKey, 'sha1') }))],
  ['RS256 that was padded as PS256', made(({ own }) => ({ sign: rsaPss(own.rsa.privateKey) }))],
  [
    'RS256 without a hash',
    made(({ own }) => ({
      sign: (input) => privateEncrypt(own.rsa.privateKey, Buffer.from(input.slice(-99))),
    })),
  ],
  ['ES256 said of an RSA signature', { header: { alg: 'ES256' } }],
  ['RS256 said of a curve’s signature', onCurve(() => ({ header: { alg: 'RS256' } }))],
  ['ES384 said of a curve’s signature', onCurve(() => ({ header: { alg: 'ES384' } }))],
  ...[
    'rs256',
    'RS256 ',
    ' RS256',
    `RS256${NUL}`,
    'SHA256withRSA',
    'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    'EdDSA',
    'RSA-OAEP',
    'dir',
    '',
    '__proto__',
    'toString',
    null,
    undefined,
    256,
    true,
    ['RS256'],
    { alg: 'RS256' },
  ].map((alg): Case => [`alg ${JSON.stringify(alg)}`, { header: { alg } }]),
];

const unsigned: Case[] = ['none', 'None', 'NONE', 'nOnE', 'none ', `none${NUL}`, ['none'], '', null].flatMap(
  (alg): Case[] => [
    [
      `alg ${JSON.stringify(alg)} without a signature`,
      { header: { alg }, finish: ([header, claims]: Parts) => `${header}.${claims}.` },
    ],
    [`alg ${JSON.stringify(alg)} with the right one`, { header: { alg } }],
  ],
);

const foreignSigner = (change: (parties: Parties) => Change) =>
  made((parties) => ({ sign: rsa(parties.attacker.rsa.privateKey), ...change(parties) }));

const keyIds: Case[] = [
  ...[
    undefined,
    null,
    '',
    ' ',
    '*',
    0,
    1,
    true,
    {},
    '../../../../../../dev/null',
    '/dev/null',
    'file:///etc/passwd',
    '%2e%2e%2fkey',
    "x' union select 'secret' --",
    "' or '1'='1",
    '; cat /etc/passwd',
    '$(id)',
    '{{7*7}}',
    '__proto__',
    'constructor',
    'keys[0]',
    '0',
    NUL,
    '\ud800',
    'x'.repeat(8_000),
  ].map((kid): Case => [`kid ${JSON.stringify(kid)?.slice(0, 60)}`, { header: { kid } }]),
  ...(
    [
      ['in a list', (kid: string) => [kid]],
      ['in capitals', (kid: string) => kid.toUpperCase()],
      ['with a space', (kid: string) => `${kid} `],
      ['with U+0000', (kid: string) => kid + NUL],
      ['cut short', (kid: string) => kid.slice(0, -1)],
      ['twice', (kid: string) => `${kid},${kid}`],
    ] as const
  ).map(
    ([what, write]): Case => [
      `the right kid ${what}`,
      made(({ own }) => ({ header: { kid: write(own.rsa.kid) } })),
    ],
  ),
  ['the kid of its provider’s other key', made(({ own }) => ({ header: { kid: own.ec.kid } }))],
  ['the other provider’s kid', made(({ other }) => ({ header: { kid: other.rsa.kid } }))],
  [
    'the other provider’s kid and key',
    made(({ other }) => ({ header: { kid: other.rsa.kid }, sign: rsa(other.rsa.privateKey) })),
  ],
  ['the address of a key as kid', made(({ attacker }) => ({ header: { kid: attacker.jwksUrl } }))],
  [
    'a path that holds nothing, as kid, and nothing as a secret',
    made(() => ({ header: { alg: 'HS256', kid: '../../../dev/null' }, sign: hmac('') })),
  ],
];

const broughtAlong: Case[] = [
  ['a stranger’s signature', foreignSigner(() => ({}))],
  [
    'a stranger’s signature and kid',
    foreignSigner(({ attacker }) => ({ header: { kid: attacker.rsa.kid } })),
  ],
  ...(
    [
      ['jku', ({ attacker }: Parties) => attacker.jwksUrl],
      [
        'jku that begins right',
        ({ own, attacker }: Parties) => `${own.url}@${attacker.url.slice(7)}/jwks.json`,
      ],
      ['jku in a list', ({ attacker }: Parties) => [attacker.jwksUrl]],
      [
        'jku that holds the keys',
        ({ attacker }: Parties) => `data:application/json;base64,${base64(attacker.keySet())}`,
      ],
      ['jku of a file', () => 'file:///dev/null'],
      ['x5u', ({ attacker }: Parties) => `${attacker.url}/certificate.pem`],
      [
        'x5c',
        ({ attacker }: Parties) => [base64(attacker.rsa.publicKey.export({ type: 'spki', format: 'der' }))],
      ],
      ['x5t', () => base64url('a thumbprint of nothing')],
      ['jwk', ({ attacker }: Parties) => attacker.rsa.publicKey.export({ format: 'jwk' })],
      ['jwk with its kid', ({ attacker }: Parties) => jwkOf(attacker.rsa)],
      ['jwk as text', ({ attacker }: Parties) => JSON.stringify(jwkOf(attacker.rsa))],
      ['keys', ({ attacker }: Parties) => JSON.parse(attacker.keySet()) as unknown],
    ] as const
  ).flatMap(([what, value]): Case[] => {
    const [name = ''] = what.split(' ');
    return [
      [
        `a stranger’s signature, and ${what}`,
        foreignSigner((parties) => ({ header: { [name]: value(parties) } })),
      ],
      [
        `a stranger’s signature and kid, and ${what}`,
        foreignSigner((parties) => ({
          header: { kid: parties.attacker.rsa.kid, [name]: value(parties) },
        })),
      ],
    ];
  }),
  [
    'a secret of its own',
    made(() => ({
      header: { alg: 'HS256', jwk: { kty: 'oct', k: base64url('secret') } },
      sign: hmac('secret'),
    })),
  ],
  [
    'an issuer that has keys of its own',
    ({ own, attacker }) =>
      forge(attacker.base(), { header: { kid: own.rsa.kid }, claims: { aud: own.audience } }),
  ],
];

const critical: Case[] = [
  ['nothing that is critical', { header: { crit: [] } }],
  ['a critical name that nobody knows', { header: { crit: ['x'], x: 1 } }],
  ['a critical name that is not there', { header: { crit: ['x'] } }],
  ['a critical claim', { header: { crit: ['exp'], exp: now() + 60 } }],
  ['a critical algorithm', { header: { crit: ['alg'] } }],
  ['a critical address', made(({ attacker }) => ({ header: { crit: ['jku'], jku: attacker.jwksUrl } }))],
  ['critical text', { header: { crit: 'b64', b64: true } }],
  ['a critical null', { header: { crit: [null] } }],
  ['crit null', { header: { crit: null } }],
  ['crit itself critical', { header: { crit: ['crit'] } }],
  ['b64 critical and true', { header: { crit: ['b64'], b64: true } }],
  ['b64 critical twice', { header: { crit: ['b64', 'b64'], b64: true } }],
  ['b64 false, and the claims encoded', { header: { crit: ['b64'], b64: false } }],
  [
    'b64 false, and the claims not encoded',
    { header: { crit: ['b64'], b64: false }, payload: (json) => json },
  ],
  ['b64 false in silence', { header: { b64: false } }],
  ['b64 false in silence, and the claims not encoded', { header: { b64: false }, payload: (json) => json }],
  ['b64 that is text', { header: { crit: ['b64'], b64: 'true' } }],
];

const otherTypes: Case[] = [
  'at+jwt',
  'application/at+jwt',
  'logout+jwt',
  'secevent+jwt',
  'dpop+jwt',
  'JOSE',
  'JWE',
  'JWT+x',
  'JWT ',
  '',
  null,
  5,
  true,
  ['JWT'],
].map((typ): Case => [`typ ${JSON.stringify(typ)}`, { header: { typ } }]);

const claimed = (name: string, values: unknown[]): Case[] =>
  values.map(
    (value): Case => [`${name} ${JSON.stringify(value)?.slice(0, 60)}`, { claims: { [name]: value } }],
  );
const reclaimed = (
  name: 'iss' | 'aud',
  changes: [what: string, change: (value: string, parties: Parties) => unknown][],
): Case[] =>
  changes.map(
    ([what, change]): Case => [
      `${name} ${what}`,
      made((parties) => ({
        claims: { [name]: change(name === 'iss' ? parties.own.url : parties.own.audience, parties) },
      })),
    ],
  );

const audiences: Case[] = [
  ['another audience', { claims: { aud: 'another' } }],
  ...claimed('aud', [undefined, null, '', [], ['another'], '*', 0, true, {}]),
  ...reclaimed('aud', [
    ['of the other provider', (_aud, { other }) => other.audience],
    ['ours, and another', (aud) => [aud, 'another']],
    ['another, and ours', (aud) => ['another', aud]],
    ['ours twice', (aud) => [aud, aud]],
    ['ours in a list in a list', (aud) => [[aud]]],
    ['ours as a name', (aud) => ({ [aud]: true })],
    ['ours in a numbered object', (aud) => ({ 0: aud, length: 1 })],
    ['the beginning of ours', (aud) => aud.slice(0, -1)],
    ['ours and more', (aud) => `${aud}.evil.example`],
    ['more and ours', (aud) => `evil.${aud}`],
    ['ours in capitals', (aud) => aud.toUpperCase()],
    ['ours with a space', (aud) => `${aud} `],
    ['ours with U+0000', (aud) => aud + NUL],
    ['ours in a line with another', (aud) => `${aud} another`],
    ['ours and a comma', (aud) => `${aud},another`],
  ]),
];

const issuers: Case[] = [
  ...claimed('iss', [undefined, null, '', 0, true, {}, [], '*', 'https://evil.example']),
  ...reclaimed('iss', [
    ['of the other provider', (_iss, { other }) => other.url],
    ['of a stranger', (_iss, { attacker }) => attacker.url],
    ['with a slash', (iss) => `${iss}/`],
    ['in capitals', (iss) => iss.toUpperCase()],
    ['with a space', (iss) => `${iss} `],
    ['with another scheme', (iss) => iss.replace('http:', 'https:')],
    ['without its scheme', (iss) => iss.replace('http://', '')],
    ['by another name', (iss) => iss.replace('127.0.0.1', 'localhost')],
    ['and more', (iss) => `${iss}.evil.example`],
    ['before somebody else’s', (iss) => `${iss}@evil.example`],
    ['in a list', (iss) => [iss]],
    ['with U+0000', (iss) => iss + NUL],
    ['with a fragment', (iss) => `${iss}#`],
  ]),
];

const timed = (name: string, values: Record<string, unknown>): Case[] =>
  Object.entries(values).map(([what, value]): Case => [`${name}: ${what}`, { claims: { [name]: value } }]);

const times: Case[] = [
  ...timed('exp', {
    'a minute ago': now() - 60,
    'years ago': now() - 1e8,
    'as text': String(now() + 600),
    'as a date': new Date(Date.now() + 600_000).toISOString(),
    'in a list': [now() + 600],
    'in an object': { exp: now() + 600 },
    'in milliseconds': Date.now() + 600_000,
  }),
  ...claimed('exp', [undefined, null, 0, -1, 'never', true, 1e15, 1e300]),
  ...timed('iat', {
    'in ten minutes': now() + 600,
    'in milliseconds': Date.now(),
    'as text': String(now()),
    'in a list': [now()],
  }),
  ...claimed('iat', [undefined, null, -1, -1e15, 1e300, 'now', true]),
  ...timed('nbf', {
    'in ten minutes': now() + 600,
    'in milliseconds': Date.now(),
    'as text': String(now() - 60),
    'in a list': [now() - 60],
  }),
  ...claimed('nbf', [null, -1, 1e300, 'now', false, {}]),
  ...['exp', 'iat', 'nbf'].flatMap((name) =>
    ['NaN', 'Infinity', '1e400', '-1e400', '9'.repeat(400), '0x7fffffff', '+1'].map(
      (text): Case => [`${name} ${text.slice(0, 20)}`, { claimsText: written(name, text) }],
    ),
  ),
];

const subjects: Case[] = claimed('sub', [
  undefined,
  null,
  '',
  0,
  5,
  true,
  false,
  [],
  ['x'],
  {},
  { sub: 'x' },
  `a${NUL}b`,
  '\ud800',
  'x\udc00',
  'x'.repeat(256),
]);

const spelled = (what: string, finish: (token: string, parts: Parts) => string): Case => [
  what,
  { finish: (parts) => finish(joined(parts), parts) },
];

const spellings: Case[] = [
  spelled('a space in front', (token) => ` ${token}`),
  spelled('a space behind', (token) => `${token} `),
  spelled('a line break behind', (token) => `${token}\n`),
  spelled('a tab in the middle', (_token, [h, c, s]) => `${h}.${c.slice(0, 9)}\t${c.slice(9)}.${s}`),
  spelled('U+0000 behind', (token) => token + NUL),
  spelled('a mark in front', (token) => `\uFEFF${token}`),
  spelled('a space of no width', (_token, [h, c, s]) => `${h}.\u200b${c}.${s}`),
  spelled('wide letters', (_token, [h, c, s]) => `${h}.${c}.${s.replace(/[A-Z]/, wide)}`),
  spelled('wide dots', (_token, parts) => parts.join('\uFF0E')),
  spelled('escaped dots', (_token, parts) => parts.join('%2E')),
  spelled('a dot in front', (token) => `.${token}`),
  spelled('a dot behind', (token) => `${token}.`),
  spelled('two dots', (_token, [h, c, s]) => `${h}..${c}.${s}`),
  spelled('a fourth part', (token) => `${token}.e30`),
  spelled('five parts, like a JWE', (_token, [h, c, s]) => `${h}.e30.${c}.${s}.e30`),
  spelled('two parts', (_token, [h, c]) => `${h}.${c}`),
  spelled('one part', (_token, [, c]) => c),
  spelled('no header', (_token, [, c, s]) => `.${c}.${s}`),
  spelled('no claims', (_token, [h, , s]) => `${h}..${s}`),
  spelled('nothing but dots', () => '..'),
  spelled('its parts in another order', (_token, [h, c, s]) => `${c}.${h}.${s}`),
  spelled('quotation marks', (token) => `"${token}"`),
  spelled('its scheme', (token) => `Bearer ${token}`),
  spelled('everything encoded once more', (token) => base64url(token)),
  spelled('itself twice', (token) => token + token),
  spelled('itself and another one', (token) => `${token} ${token}`),
  spelled('the general JSON form', (_token, [h, c, s]) =>
    JSON.stringify({ payload: c, signatures: [{ protected: h, signature: s }] }),
  ),
  spelled('the flat JSON form', (_token, [h, c, s]) =>
    JSON.stringify({ payload: c, protected: h, signature: s }),
  ),
  [
    'padding, signed as well',
    { claims: { name: 'Ada' }, encode: (bytes) => base64(bytes).replaceAll('+', '-').replaceAll('/', '_') },
  ],
  ['the standard alphabet, signed as well', { claims: { name: '~~~???~~~' }, encode: base64 }],
  ['hexadecimal, signed as well', { encode: (bytes) => bytes.toString('hex') }],
  ['a padded signature', { finish: respelled((text) => `${text}==`) }],
  ['a half padded signature', { finish: respelled((text) => `${text}=`) }],
  [
    'a signature in the standard alphabet',
    { finish: respelled((text) => text.replaceAll('-', '+').replaceAll('_', '/')) },
  ],
  ['a signature with a space', { finish: respelled((text) => `${text.slice(0, 20)} ${text.slice(20)}`) }],
  ['a signature over two lines', { finish: respelled((text) => `${text.slice(0, 64)}\n${text.slice(64)}`) }],
  ['a signature that ends in stray bits', { finish: respelled(strayBits) }],
  ['a curve’s signature that ends in stray bits', onCurve(() => ({ finish: respelled(strayBits) }))],
  [
    'a signature in hexadecimal',
    { finish: respelled((text) => Buffer.from(text, 'base64url').toString('hex')) },
  ],
];

const wide = (letter: string): string => String.fromCodePoint(0xff21 + letter.charCodeAt(0) - 65);

const contents: Case[] = [
  ['alg twice', { headerText: twice('alg', 'none') }],
  ['kid twice', { headerText: twice('kid', 'unknown') }],
  ['typ twice', { headerText: twice('typ', 'at+jwt') }],
  ['iss twice', { claimsText: twice('iss', 'https://evil.example') }],
  ['aud twice', { claimsText: twice('aud', 'another') }],
  ['exp twice', { claimsText: twice('exp', now() - 60) }],
  ['sub twice', { claimsText: twice('sub', '') }],
  ['a header in a list', { headerText: (json) => `[${json}]` }],
  ['a header that is text', { headerText: (json) => JSON.stringify(json) }],
  ['a header that is null', { headerText: () => 'null' }],
  ['a header that is no JSON', { headerText: (json) => json.replaceAll('"', "'") }],
  ['an empty header', { headerText: () => '{}' }],
  ['a header inherited from its prototype', { headerText: (json) => `{"__proto__":${json}}` }],
  ['claims in a list', { claimsText: (json) => `[${json}]` }],
  ['claims that are text', { claimsText: (json) => JSON.stringify(json) }],
  ['claims that are null', { claimsText: () => 'null' }],
  ['claims that are a number', { claimsText: () => '5' }],
  ['empty claims', { claimsText: () => '{}' }],
  ['nothing for claims', { claimsText: () => '' }],
  ['claims one level down', { claimsText: (json) => `{"claims":${json}}` }],
  ['claims inherited from their prototype', { claimsText: (json) => `{"__proto__":${json}}` }],
  ['claims with a comma too many', { claimsText: (json) => json.replace(/\}$/, ',}') }],
  ['claims with a comment', { claimsText: (json) => `/**/${json}` }],
  ['claims that go on', { claimsText: (json) => `${json}{}` }],
  ['claims that end in U+0000', { claimsText: (json) => json + NUL }],
  ['claims in UTF-16', { claimsText: (json) => Buffer.from(json, 'utf16le') }],
  [
    'claims that are no UTF-8',
    { claims: { name: 'Zoë' }, claimsText: (json) => Buffer.from(json, 'latin1') },
  ],
  [
    'an overlong letter in the claims',
    { claims: { name: '\u00c0\u00ae' }, claimsText: (json) => Buffer.from(json, 'latin1') },
  ],
  ['claims that were squeezed', { header: { zip: 'DEF' }, claimsText: (json) => deflateRawSync(json) }],
  [
    'a whole token for claims',
    made(({ own }) => ({ header: { cty: 'JWT' }, claimsText: () => forge(own.base()) })),
  ],
];

const zeros = (length: number) => Buffer.alloc(length);
/** The order of the curve P-256. */
const order = Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex');
const one = Buffer.concat([zeros(31), Buffer.from([1])]);
const pairOf = (r: Buffer, s: Buffer) => () => Buffer.concat([r, s]);

const signatures: Case[] = [
  ['no signature', { finish: ([header, claims]) => `${header}.${claims}.` }],
  ['a signature of one letter', { finish: respelled(() => 'A') }],
  ['a signature without its last byte', { finish: resigned((bytes) => bytes.subarray(0, -1)) }],
  ['a signature without its first byte', { finish: resigned((bytes) => bytes.subarray(1)) }],
  ['half a signature', { finish: resigned((bytes) => bytes.subarray(0, 128)) }],
  ['a signature of a byte more', { finish: resigned((bytes) => Buffer.concat([bytes, zeros(1)])) }],
  ['a signature after a byte of nothing', { finish: resigned((bytes) => Buffer.concat([zeros(1), bytes])) }],
  ['two signatures', { finish: resigned((bytes) => Buffer.concat([bytes, bytes])) }],
  ['a signature turned round', { finish: resigned((bytes) => Buffer.from(bytes.toReversed())) }],
  ['a signature of zeros', { finish: resigned(({ length }) => zeros(length)) }],
  ['a signature of ones', { finish: resigned(({ length }) => Buffer.alloc(length, 0xff)) }],
  ['the number one for a signature', { finish: resigned(({ length }) => flipped(-1)(zeros(length))) }],
  ...[0, 1, 100, 200, -2, -1].map(
    (place): Case => [`a flipped bit in byte ${place}`, { finish: resigned(flipped(place)) }],
  ),
  [
    'the signature of another of its tokens',
    made(({ own }) => {
      const [, , signature = ''] = forge(own.base()).split('.');
      return { finish: respelled(() => signature) };
    }),
  ],
  [
    'the claims of another of its tokens',
    made(({ own }) => {
      const [, claims = ''] = forge(own.base()).split('.');
      return { finish: ([header, , signature]) => joined([header, claims, signature]) };
    }),
  ],
  [
    'a signature of the claims alone',
    made(({ own }) => ({
      sign: (input) => own.base().sign(input.split('.')[1] ?? ''),
    })),
  ],
  [
    'a signature of the header alone',
    made(({ own }) => ({
      sign: (input) => own.base().sign(input.split('.')[0] ?? ''),
    })),
  ],
  [
    'a signature of what is encoded',
    made(({ own }) => ({
      sign: (input) =>
        own.base().sign(
          input
            .split('.')
            .map((part) => Buffer.from(part, 'base64url').toString())
            .join('.'),
        ),
    })),
  ],
  [
    'a small key',
    made(() => {
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
      return { sign: rsa(privateKey) };
    }),
  ],
  ...(
    [
      ['r = s = 0', zeros(32), zeros(32)],
      ['r = 0', zeros(32), one],
      ['s = 0', one, zeros(32)],
      ['r = s = 1', one, one],
      ['r = s = n', order, order],
      ['r = n, s = 1', order, one],
      ['r = 1, s = n', one, order],
      ['the greatest r and s', Buffer.alloc(32, 0xff), Buffer.alloc(32, 0xff)],
    ] as const
  ).map(
    ([what, r, s]): Case => [
      `a curve’s signature with ${what}`,
      onCurve(() => ({ finish: resigned(pairOf(r, s)) })),
    ],
  ),
  ['a curve’s signature of nothing', onCurve(() => ({ finish: respelled(() => '') }))],
  [
    'a curve’s signature in DER',
    onCurve(({ own }) => ({
      sign: ecdsa(own.ec.privateKey, 'sha256', 'der'),
    })),
  ],
  [
    'a curve’s zeros in DER',
    onCurve(() => ({
      finish: resigned(() => Buffer.from('3006020100020100', 'hex')),
    })),
  ],
  [
    'a curve’s signature with its halves exchanged',
    onCurve(() => ({
      finish: resigned((bytes) => Buffer.concat([bytes.subarray(32), bytes.subarray(0, 32)])),
    })),
  ],
  [
    'a curve’s signature without its last byte',
    onCurve(() => ({
      finish: resigned((bytes) => bytes.subarray(0, -1)),
    })),
  ],
  [
    'a curve’s signature of a byte more',
    onCurve(() => ({
      finish: resigned((bytes) => Buffer.concat([bytes, zeros(1)])),
    })),
  ],
  ['a curve’s signature with a flipped bit', onCurve(() => ({ finish: resigned(flipped(40)) }))],
  [
    'the signature of a stranger’s curve',
    onCurve(({ attacker }) => ({
      sign: ecdsa(attacker.ec.privateKey),
    })),
  ],
  [
    'the signature of a greater curve',
    onCurve(() => ({
      header: { alg: 'ES384' },
      sign: ecdsa(ecPair('P-384').privateKey, 'sha384'),
    })),
  ],
  [
    'a curve’s signature with another hash',
    onCurve(({ own }) => ({
      sign: ecdsa(own.ec.privateKey, 'sha512'),
    })),
  ],
];

const otherTokens: Case[] = [
  ['a session of ours', ({ sessionToken }) => sessionToken],
  [
    'a session of ours that calls itself an ID token',
    made(({ sessionSecret }) => ({ header: { alg: 'HS256' }, sign: hmac(sessionSecret) })),
  ],
  ['the other provider’s token', ({ other }) => forge(other.base())],
  ['the other provider’s token on a curve', ({ other }) => forge(other.base(other.ec))],
  [
    'the other provider’s token for our audience',
    ({ own, other }) => forge(other.base(), { claims: { aud: own.audience } }),
  ],
  [
    'the other provider’s signature on our provider’s claims',
    made(({ other }) => ({ sign: rsa(other.rsa.privateKey) })),
  ],
  [
    'a notification, which is about nobody and does not end',
    { claims: { sub: undefined, exp: undefined, events: '{"type":"consent-revoked","sub":"x"}' } },
  ],
  ['an access token', { header: { typ: 'at+jwt' }, claims: { aud: 'https://api.example', scope: 'openid' } }],
  ['an opaque token', () => 'ya29.a0AfH6SMBx-opaque-access-token'],
  ['an authorization code', () => 'c6a1f0b5e2d9.0.rrzuw.2kQ4Yw'],
  ['an API key', () => 'sk_live_51H8x'],
];

/** The names are unique; each case stands for one token of either provider. */
export const hostileIdTokens: Hostile[] = [
  ...confusedAlgorithms,
  ...unsigned,
  ...keyIds,
  ...broughtAlong,
  ...critical,
  ...otherTypes,
  ...audiences,
  ...issuers,
  ...times,
  ...subjects,
  ...spellings,
  ...contents,
  ...signatures,
  ...otherTokens,
].map(([what, make]): Hostile => [what, typeof make === 'function' ? make : made(() => make)]);

/** Tokens that are accepted, and of which everything hostile is one change away. */
export const honestIdTokens: [what: string, make: (parties: Parties) => Base][] = [
  ['by an RSA key', ({ own }) => own.base()],
  ['by a key on a curve', ({ own }) => own.base(own.ec)],
];

// ID tokens whose headers name another key, contain their own key, or require more than the verifier understands.
import { base64, base64url, type Change, forge, hmac, rsa } from '../forge.ts';
import { jwkOf } from '../issuer.ts';
import { type Case, made, NUL, now, type Parties } from './case.ts';

const foreignSigner = (change: (parties: Parties) => Change) =>
  made((parties) => ({ sign: rsa(parties.attacker.rsa.privateKey), ...change(parties) }));

export const keyIds: Case[] = [
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
    '../../../../../dev/null',
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

export const broughtAlong: Case[] = [
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

export const critical: Case[] = [
  ['an empty list of critical names', { header: { crit: [] } }],
  ['a critical name that is not known', { header: { crit: ['x'], x: 1 } }],
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

export const otherTypes: Case[] = [
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

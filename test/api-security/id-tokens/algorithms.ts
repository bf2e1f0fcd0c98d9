// ID tokens with algorithms that are confused with others, and with none.
import { privateEncrypt } from 'node:crypto';
import { hmac, type Parts, rsa, rsaPss } from '../forge.ts';
import { jwkOf } from '../issuer.ts';
import { type Case, made, NUL, onCurve, type Parties } from './case.ts';

const pem = ({ own }: Parties) => own.rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString();
const jwk = ({ own }: Parties) => own.rsa.publicKey.export({ format: 'jwk' });

const symmetric = (secret: (parties: Parties) => string | Buffer, alg = 'HS256') =>
  made((parties) => ({
    header: { alg },
    sign: hmac(secret(parties), alg.replace(/^\D*/, 'sha')),
  }));

export const confusedAlgorithms: Case[] = [
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

export const unsigned: Case[] = [
  'none',
  'None',
  'NONE',
  'nOnE',
  'none ',
  `none${NUL}`,
  ['none'],
  '',
  null,
].flatMap((alg): Case[] => [
  [
    `alg ${JSON.stringify(alg)} without a signature`,
    { header: { alg }, finish: ([header, claims]: Parts) => `${header}.${claims}.` },
  ],
  [`alg ${JSON.stringify(alg)} with the right one`, { header: { alg } }],
]);

// Signatures that are cut, moved, made of other bytes or made with another key.
import { generateKeyPairSync } from 'node:crypto';
import { ecdsa, flipped, forge, joined, resigned, respelled, rsa } from '../forge.ts';
import { ecPair } from '../issuer.ts';
import { type Case, made, onCurve } from './case.ts';

const zeros = (length: number) => Buffer.alloc(length);
/** The order of the curve P-256. */
const order = Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex');
const one = Buffer.concat([zeros(31), Buffer.from([1])]);
const pairOf = (r: Buffer, s: Buffer) => () => Buffer.concat([r, s]);

export const signatures: Case[] = [
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

// Valid tokens that were issued for another purpose.
import { forge, hmac, rsa } from '../forge.ts';
import { type Case, made } from './case.ts';

export const otherTokens: Case[] = [
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

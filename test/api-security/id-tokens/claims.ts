// ID tokens whose claims name another audience, issuer, time or subject.
import { written } from '../forge.ts';
import { type Case, made, NUL, now, type Parties } from './case.ts';

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

export const audiences: Case[] = [
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

export const issuers: Case[] = [
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

export const times: Case[] = [
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

export const subjects: Case[] = claimed('sub', [
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

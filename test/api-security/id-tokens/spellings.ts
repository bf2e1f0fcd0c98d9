// Tokens with the right content in a non-canonical encoding.
import { deflateRawSync } from 'node:zlib';
import { base64, base64url, forge, joined, type Parts, respelled, strayBits, twice } from '../forge.ts';
import { type Case, made, NUL, now, onCurve } from './case.ts';

const spelled = (what: string, finish: (token: string, parts: Parts) => string): Case => [
  what,
  { finish: (parts) => finish(joined(parts), parts) },
];

export const spellings: Case[] = [
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

export const contents: Case[] = [
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

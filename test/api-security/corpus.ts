// Addresses, values and bytes that no honest client sends, shared by all tests that send them.
import { someId } from './send-to.ts';

/** Odd addresses, each with the status that a signed-in user receives. */
export const oddAddresses: [string, number][] = [
  ['/me%00', 404],
  ['/%6d%65', 404],
  ['/me%2f', 404],
  ['/me%3freveal=true', 404],
  ['/ME', 404],
  ['/me;a=b', 404],
  ['/me/../health', 404],
  ['/me/..%2fhealth', 404],
  ['/me/..;/health', 404],
  ['/./me', 404],
  ['//me', 404],
  ['/\\me', 404],
  ['/%ff', 404],
  ['/%c0%af', 404],
  ['/%u0041', 404],
  ['/%', 404],
  ['/%ED%A0%80', 404],
  ['/..%2f..%2fetc%2fpasswd', 404],
  ['/../../etc/passwd', 404],
  ['/docs/..%2f..%2fpackage.json', 404],
  ['/docs/assets/..%2f..%2f..%2fpackage.json', 404],
  ['/docs/assets/%2e%2e/%2e%2e/package.json', 404],
  ['/openapi.json%00.html', 404],
  ['/__proto__', 404],
  ['/constructor/prototype', 404],
  ['/.git/config', 404],
  ['/.env', 404],
  ['/server-status', 404],
  ['/graphql', 404],
  ['/health%0d%0ax-evil:1', 404],
  ['/\u00e9\u00ff', 400],
  [`/${'a'.repeat(8_000)}`, 404],
  [`/${'a/'.repeat(4_000)}`, 404],
  [`/${'%2e%2e/'.repeat(1_000)}`, 404],
  [`/transactions/${someId}%0d%0ax-evil:1`, 400],
  ['/transactions/%ED%A0%80', 400],
  ['/transactions/%c0%af', 400],
  ['/health?x=%0d%0aset-cookie:a=b', 400],
  ['/health?%ff=1', 400],
  ['/health?__proto__[admin]=1', 400],
  ['/health?constructor[prototype][admin]=1', 400],
  [`/health?${'a[b]'.repeat(900)}=1`, 400],
  [`/health?${'a=1&'.repeat(2_000)}`, 400],
  [`/${'a'.repeat(20_000)}`, 431],
];

/** Numbers in JSON that no calculation survives. */
export const unsound = [
  '1e400',
  '-1e400',
  '1e308',
  '9'.repeat(400),
  `-${'9'.repeat(400)}`,
  `0.${'3'.repeat(400)}`,
  '1e-400',
  '-0',
  '0',
  '-1',
  '9007199254740993',
  '18446744073709551616',
];

// Texts of this length make the cost of a quadratic pattern noticeable.
const long = 100_000;
/** Texts that make backtracking patterns slow. */
export const sweaty: [string, string][] = [
  ['a letter', 'x'.repeat(1_000_000)],
  ['a digit', '1'.repeat(long)],
  ['spaces', ' '.repeat(long)],
  ['spaces and an end', `${' '.repeat(long)}x`],
  ['dots', 'a.'.repeat(long / 2)],
  ['an address', `${'a'.repeat(long)}@${'a.'.repeat(long / 2)}`],
  ['signs', '@'.repeat(long)],
  ['hyphens', '12-34-'.repeat(long / 6)],
  ['brackets', '(((('.repeat(long / 4)],
  ['pairs of surrogates', '\u{1d4b3}'.repeat(long / 2)],
  ['marks upon marks', `a${'\u0301'.repeat(long)}`],
];

/** Bytes that are not JSON in UTF-8. */
export const brokenBytes: [string, Buffer][] = [
  ['a byte that begins nothing', Buffer.from([0x7b, 0x22, 0x80, 0x22, 0x3a, 0x31, 0x7d])],
  ['an overlong byte', Buffer.from([0x7b, 0x22, 0xc0, 0xae, 0x22, 0x3a, 0x31, 0x7d])],
  ['half of a pair, encoded', Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d])],
  ['a letter beyond the last', Buffer.from([0x7b, 0x22, 0xf5, 0x80, 0x80, 0x80, 0x22, 0x3a, 0x31, 0x7d])],
  ['half a letter at the end', Buffer.from([0x7b, 0x22, 0xe2, 0x82])],
  ['a byte order mark', Buffer.from('\ufeff{}')],
  ['U+0000 and nothing else', Buffer.alloc(100)],
  ['half an object', Buffer.from('{"a":')],
  ['a comment', Buffer.from('{/**/}')],
  ['two objects', Buffer.from('{}{}')],
];

export const kinds = [null, true, 5, 1.5, '5', '', [], {}, ['x'], { x: 1 }];

/** One rule handles unknown names and values everywhere, so a long list is shared: each item is tried in every third place. */
export const SHARED_BY = 3;
export const shareOf = <Item>(all: readonly Item[], place: number): Item[] =>
  all.filter((_, nth) => nth % SHARED_BY === place % SHARED_BY);

/** Names of inherited properties that code might not be guarded against. */
export const inherited = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'then'];
export const wished = [
  'admin',
  'isAdmin',
  'role',
  'user_id',
  'closedAt',
  'closed_at',
  'auth_subject',
  '$where',
  '$ref',
];

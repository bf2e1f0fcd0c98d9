// Finds actions in the service's sources that cannot be done safely, and tests that depend on the speed of the machine. The checks
// search the text, which is simple and sufficient.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sourcesIn } from './support/sources.ts';

const forbidden: [string, RegExp, string][] = [
  ['starts no other program', /['"](node:)?(child_process|cluster)['"]/, `import 'node:child_process'`],
  ['runs no text as code', /['"](node:)?vm['"]|\beval\(|\bnew Function\b/, 'eval(body)'],
  ['loads no native code', /\bdlopen\b|\.node['"]/, `require('./fast.node')`],
  ['builds no SQL from text', /\bsql\.(raw|unsafe)\b/, 'sql.raw(name)'],
  [
    'runs transactions only by inDbTransaction, and by transaction where work is handed off',
    /\.(transaction|startTransaction)\(\)/,
    'db.transaction().execute(decide)',
  ],
  [
    'never turns off the check of certificates',
    /rejectUnauthorized|checkServerIdentity|NODE_TLS_REJECT/,
    '{ rejectUnauthorized: false }',
  ],
  ['never parses HTTP leniently', /insecureHTTPParser/, '{ insecureHTTPParser: true }'],
  ['reads no header of a proxy', /trust proxy|x-forwarded|x-real-ip/i, `request.get('x-forwarded-for')`],
  ['sets no cookie and sends no redirect', /\.(cookie|redirect)\(|set-cookie/i, 'response.redirect(url)'],
  ['uses no predictable random numbers', /\bMath\.random\b/, 'Math.random()'],
  ['uses no weak hash', /['"](md5|sha-?1)['"]/i, `createHash('md5')`],
  [
    'encrypts only with AES-256-GCM',
    /['"](?!aes-256-gcm['"])(aes|des(-ede3?)?|rc[24]|bf|cast5?|camellia|aria|sm4|chacha20)-[\w-]+['"]/i,
    `createCipheriv('aes-256-cbc', key, iv)`,
  ],
  // The string methods turn a text argument into a regular expression, and PostgreSQL does the same.
  [
    'builds no regular expression from text',
    /\bRegExp\(|\.(match|matchAll|search)\((?!\/)/,
    'new RegExp(name)',
  ],
  [
    'passes no text to PostgreSQL as a pattern',
    /~\*? *\$\{|\bsimilar to\b|\bregexp_\w+\(/i,
    'name ~ ${asked}',
  ],
  // V8 allocates such a function in the old generation, with everything that it refers to (docs/decisions/0011).
  [
    'assigns no function literal to a property',
    /\.\w+ = (async )?(\([^()]*\)|\w+) =>/,
    'request.takeTurn = async (user) => undefined',
  ],
];

/**
 * Allowed exceptions. A delay may be random. `CompiledRouter` makes patterns of the contract's paths and escapes their special
 * characters. The contract's `match` takes a method and a path, and is not the method of a string. A page of the documentation is
 * requested rarely, and a connection to the database is opened rarely. Only `client-address.ts` knows which peers are trusted proxies.
 */
const excepted = new Set([
  'src/api/client-address.ts: x-forwarded',
  'src/outbox/backoff.ts: Math.random',
  'openapi/router.ts: RegExp(',
  'src/api/server.ts: .match(',
  'src/api/docs.ts: .send = (html) =>',
  'src/platform/database/patches/corked-queries.ts: ._send = (message) =>',
  // A constant, which the grants send as text.
  'src/tables/schema/schema.ts: sql.raw',
]);

/** The files that open connections: to Prometheus (operators), to the database, to the provider, and to the key sets. */
const openConnections = [
  'ops/alarms.ts',
  'src/platform/database/client.ts',
  'src/platform/database/pool.ts',
  'src/provider/http.ts',
  'src/security/key-set.ts',
];
const opening = /\bfetch\(|\bcreateRemoteJWKSet\(|\bnew (WebSocket|EventSource|Pool)\(|\bextends Client\b/;
/** It takes only functions about addresses from node:net. */
const opensNone = 'src/api/client-address.ts';
const openers = /^(undici|(node:)?(net|tls|https|http2|dgram|dns))$/;

test('the service opens connections in five files', () => {
  const found = sourcesIn('src', 'ops', 'machines').filter(
    ({ file, code, imports }) =>
      file !== opensNone &&
      (opening.test(code) || imports.some(({ from, isType }) => !isType && openers.test(from))),
  );
  expect(found.map(({ file }) => file).toSorted()).toEqual(openConnections);
});

test('the service uses only the cryptography of Node.js and jose', () => {
  const { dependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const own = Object.keys(dependencies).filter((name) =>
    /crypt|cipher|aes|hash|hmac|sha|jw[tsek]|jose|sodium|forge|noble|argon|sign/i.test(name),
  );
  expect(own).toEqual(['jose']);
});

test.each(forbidden)('the service %s', (_what, pattern, example) => {
  expect(example).toMatch(pattern);
  const found = sourcesIn('src', 'ops', 'machines', 'openapi').flatMap(({ file, code }) => {
    const [words] = pattern.exec(code) ?? [];
    return words === undefined ? [] : [`${file}: ${words}`];
  });
  expect(found.filter((one) => !excepted.has(one))).toEqual([]);
});

const NOW = String.raw`(?:performance|Date)\.now\(\)|process\.hrtime\b[.\w]*\(\)`;

/** Returns each comparison of a duration of the real clock: a difference to a reading, or a constant or list that contains one. */
function comparedDurations(code: string): string[] {
  const namesOf = (value: string): string[] => {
    const naming = String.raw`(?:\bconst (\w+)\b[^=;]* = |\b(\w+)\.push\()${value}`;
    return [...code.matchAll(new RegExp(naming, 'g'))].map(
      ([, constant, list]) => String.raw`\b${constant ?? list}\b`,
    );
  };
  const reading = [NOW, ...namesOf(`(?:${NOW})(?! *[-+])`)].join('|');
  const difference = `(?:${reading}) -|- (?:${reading})`;
  const duration = new RegExp([difference, ...namesOf(`[^;]*(?:${difference})`)].join('|'));
  const comparisons = /\bexpect\([^;]*?\)\s*\.(?:not\.)?toBe(?:LessThan|GreaterThan|CloseTo)/g;
  return [...code.matchAll(comparisons)].map(([found]) => found).filter((found) => duration.test(found));
}

test('no test compares a duration of the real clock, because a slow machine would fail it', () => {
  const found = sourcesIn('test')
    .filter(({ file }) => file !== 'test/forbidden.test.ts')
    .flatMap(({ file, code }) => comparedDurations(code).map((comparison) => `${file}: ${comparison}`));
  expect(found).toEqual([]);
});

test.each([
  ['expect(performance.now() - begun).toBeLessThan(5_000);', true],
  ['const begun = Date.now(); act(); expect(end - begun).toBeGreaterThanOrEqual(190);', true],
  ['const seconds = (performance.now() - begun) / 1_000; expect(seconds).toBeLessThan(12);', true],
  ['waitedMs.push(performance.now() - begun); expect(Math.max(...waitedMs)).toBeLessThan(5);', true],
  ['const elapsed = (): number => Date.now() - begun; expect(elapsed()).not.toBeGreaterThan(9);', true],
  ['const before = Date.now(); expect(due).toBeGreaterThanOrEqual(before + 60_000);', false],
  ['const seconds = (performance.now() - begun) / 1_000; expect(count).toBeLessThan(1 + seconds);', false],
])('whether a test compares a duration is found in the text %j: %s', (code, isFound) => {
  expect(comparedDurations(code).length > 0).toBe(isFound);
});

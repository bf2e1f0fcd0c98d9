// What the service’s sources never do, because it could not be done safely. Checked on the text: simple, and sufficient.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { sourcesIn } from './support/sources.ts';

const forbidden: [string, RegExp, string][] = [
  ['starts no other program', /['"](node:)?(child_process|cluster)['"]/, `import 'node:child_process'`],
  ['runs no text as code', /['"](node:)?vm['"]|\beval\(|\bnew Function\b/, 'eval(body)'],
  ['loads no native code', /\bdlopen\b|\.node['"]/, `require('./fast.node')`],
  ['writes no SQL out of texts', /\bsql\.(raw|unsafe)\b/, 'sql.raw(name)'],
  [
    'has one way to run a transaction: inTransaction, and transaction where work is handed off',
    /\.(transaction|startTransaction)\(\)/,
    'db.transaction().execute(decide)',
  ],
  [
    'turns no check of certificates off',
    /rejectUnauthorized|checkServerIdentity|NODE_TLS_REJECT/,
    '{ rejectUnauthorized: false }',
  ],
  ['reads no HTTP leniently', /insecureHTTPParser/, '{ insecureHTTPParser: true }'],
  ['believes no intermediary', /trust proxy|x-forwarded|x-real-ip/i, `request.get('x-forwarded-for')`],
  ['sets no cookie and redirects nobody', /\.(cookie|redirect)\(|set-cookie/i, 'response.redirect(url)'],
  ['makes no secret with what can be foreseen', /\bMath\.random\b/, 'Math.random()'],
  ['hashes with nothing weak', /['"](md5|sha-?1)['"]/i, `createHash('md5')`],
  [
    'enciphers by AES-256-GCM alone',
    /['"](?!aes-256-gcm['"])(aes|des(-ede3?)?|rc[24]|bf|cast5?|camellia|aria|sm4|chacha20)-[\w-]+['"]/i,
    `createCipheriv('aes-256-cbc', key, iv)`,
  ],
  // Strings make one of their argument, and so does PostgreSQL.
  ['makes no pattern out of texts', /\bRegExp\(|\.(match|matchAll|search)\((?!\/)/, 'new RegExp(name)'],
  ['gives PostgreSQL no texts as patterns', /~\*? *\$\{|\bsimilar to\b|\bregexp_\w+\(/i, 'name ~ ${asked}'],
];

/**
 * How long to wait may be estimated. `createFinder` makes patterns of the contract's paths and escapes their special characters. The
 * contract's `match` takes a method and a path, and is not that of a string.
 */
const excepted = new Set([
  'src/effects/backoff.ts: Math.random',
  'openapi/find-operation.ts: RegExp(',
  'src/api/server.ts: .match(',
]);

/** What opens connections: to the provider, to the key sets, and to the database. */
const openConnections = [
  'src/auth/key-set.ts',
  'src/database/client.ts',
  'src/database/pool.ts',
  'src/provider/http.ts',
];
const opening = /\bfetch\(|\bcreateRemoteJWKSet\(|\bnew (WebSocket|EventSource|Pool)\(|\bextends Client\b/;
const openers = /^(undici|(node:)?(net|tls|https|http2|dgram|dns))$/;

it('the service opens connections in four places', () => {
  const found = sourcesIn('src', 'machines').filter(
    ({ code, imports }) =>
      opening.test(code) || imports.some(({ from, isType }) => !isType && openers.test(from)),
  );
  expect(found.map(({ file }) => file).toSorted()).toEqual(openConnections);
});

it('cryptography is that of Node.js and jose', () => {
  const { dependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const own = Object.keys(dependencies).filter((name) =>
    /crypt|cipher|aes|hash|hmac|sha|jw[tsek]|jose|sodium|forge|noble|argon|sign/i.test(name),
  );
  expect(own).toEqual(['jose']);
});

it.each(forbidden)('the service %s', (_what, pattern, example) => {
  expect(example).toMatch(pattern);
  const found = sourcesIn('src', 'machines', 'openapi').flatMap(({ file, code }) => {
    const [words] = pattern.exec(code) ?? [];
    return words === undefined ? [] : [`${file}: ${words}`];
  });
  expect(found.filter((one) => !excepted.has(one))).toEqual([]);
});

// What the service’s sources never do, because nothing of it could be done safely. Read as text: simple, and enough to be told.
import { expect, it } from 'vitest';
import { sourcesIn } from './support/sources.ts';

const forbidden: [string, RegExp, string][] = [
  ['starts no other program', /['"](node:)?(child_process|cluster)['"]/, `import 'node:child_process'`],
  ['runs no text as code', /['"](node:)?vm['"]|\beval\(|\bnew Function\b/, 'eval(body)'],
  ['loads no native code', /\bdlopen\b|\.node['"]/, `require('./fast.node')`],
  ['writes no SQL out of texts', /\bsql\.(raw|unsafe)\b/, 'sql.raw(name)'],
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
];

/** How long to wait may be foreseen. */
const excepted = new Set(['src/effects/backoff.ts: Math.random']);

it.each(forbidden)('the service %s', (_what, pattern, example) => {
  expect(example).toMatch(pattern);
  const found = sourcesIn('src', 'machines').flatMap(({ file, code }) => {
    const [words] = pattern.exec(code) ?? [];
    return words === undefined ? [] : [`${file}: ${words}`];
  });
  expect(found.filter((one) => !excepted.has(one))).toEqual([]);
});

// Bodies that are wrong in every way that a body can be. The contract refuses each of them, and none is a fault of the service.
import { gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { call, faultIn } from '../support/http.ts';
import { type Person, signUp } from '../support/person.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';

let ada: Person;

const { world } = useWorld({ env: { BODY_LIMIT: '50kb' } });
beforeAll(async () => {
  ada = await signUp(world);
});

const NUL = '\u0000';
const deep = `${'['.repeat(9_000)}${']'.repeat(9_000)}`;
const patch = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  call(world, 'PATCH', '/me', { token: ada.token, body, headers });

const ask = (length: number) =>
  call(world, 'POST', '/me/data-request', {
    token: ada.token,
    json: { type: 'access', notes: 'x'.repeat(length) },
  });
const start = (said: object) => call(world, 'POST', '/kyc/start', { token: ada.token, ...said });
const hook = (said: object) => call(world, 'POST', `/webhooks/provider/${world.webhookSecret}`, said);

const named = '{"displayName":"Zoë"}';
test.each([
  ['half a body', '{"displayName":', {}, [400, 'malformed_json', '/body']],
  ['no JSON at all', 'displayName=Zoë', {}, [400, 'malformed_json', '/body']],
  ['text after the JSON', `${named}x`, {}, [400, 'malformed_json', '/body']],
  ['a byte order mark', `\uFEFF${named}`, {}, [400, 'malformed_json', '/body']],
  ['bytes that are not UTF-8', Buffer.from(named, 'latin1'), {}, [400, 'malformed_json', '/body']],
  [
    'too many bytes',
    JSON.stringify({ displayName: 'x'.repeat(33_000) }),
    {},
    [413, 'payload_too_large', '/body'],
  ],
  [
    'a compressed body',
    gzipSync(named),
    { 'content-encoding': 'gzip' },
    [415, 'unsupported_content_encoding', '/headers/content-encoding'],
  ],
  [
    'a broken compressed body',
    'not gzip',
    { 'content-encoding': 'gzip' },
    [415, 'unsupported_content_encoding', '/headers/content-encoding'],
  ],
  [
    'an unknown compression',
    named,
    { 'content-encoding': 'lzma' },
    [415, 'unsupported_content_encoding', '/headers/content-encoding'],
  ],
  [
    'two encodings',
    named,
    { 'content-encoding': 'identity, gzip' },
    [415, 'unsupported_content_encoding', '/headers/content-encoding'],
  ],
  ['text', named, { 'content-type': 'text/plain' }, [415, 'unsupported_media_type', '/headers/content-type']],
  [
    'a form',
    named,
    { 'content-type': 'application/x-www-form-urlencoded' },
    [415, 'unsupported_media_type', '/headers/content-type'],
  ],
  [
    'another JSON',
    named,
    { 'content-type': 'application/json-patch+json' },
    [415, 'unsupported_media_type', '/headers/content-type'],
  ],
  [
    'an invalid type',
    named,
    { 'content-type': ';;;' },
    [415, 'unsupported_media_type', '/headers/content-type'],
  ],
  [
    'another charset',
    Buffer.from(named, 'utf16le'),
    { 'content-type': 'application/json; charset=utf-16le' },
    [415, 'unsupported_media_type', '/headers/content-type'],
  ],
  [
    'an unknown charset',
    named,
    { 'content-type': 'application/json; charset=klingon' },
    [415, 'unsupported_media_type', '/headers/content-type'],
  ],
] as [string, string | Uint8Array<ArrayBuffer>, Record<string, string>, unknown[]][])(
  'a body that cannot be read is refused: %s',
  async (_what, body, headers, expected) => {
    expect(faultIn(await patch(body, headers))).toEqual(expected);
  },
);

test('a body that is declared as not compressed and in UTF-8 is accepted', async () => {
  const headers = { 'content-encoding': 'Identity', 'content-type': 'application/json; charset=UTF-8' };
  expect((await patch(named, headers)).body['displayName']).toBe('Zoë');
});

test('the refusal of a compressed body names the encoding that would be accepted', async () => {
  const { headers } = await patch(gzipSync(named), { 'content-encoding': 'gzip' });
  expect(headers.get('accept-encoding')).toBe('identity');
});

test('a body may be as large as configured if the contract names no limit', async () => {
  expect((await ask(50_000)).status).toBe(201);
  expect(faultIn(await ask(51_200))).toEqual([413, 'payload_too_large', '/body']);
});

test('another content type is refused even if the body is optional, and a missing body is accepted', async () => {
  const text = await start({ body: 'hello', headers: { 'content-type': 'text/plain' } });
  expect(faultIn(text)).toEqual([415, 'unsupported_media_type', '/headers/content-type']);
  expect((await start({})).status).toBe(200);
  expect((await start({ json: {} })).status).toBe(200);
  expect(faultIn(await start({ json: { name: 'Ada' } }))).toEqual([400, 'invalid_request', '/body/name']);
});

test('a broken body is ignored if the method is not allowed', async () => {
  const answer = await call(world, 'DELETE', '/transactions', { body: '{' });
  expect(answer.status).toBe(405);
});

test.each([
  ['an array', '[]', '/body'],
  ['null', 'null', '/body'],
  ['a number', '5', '/body'],
  ['zero', '0', '/body'],
  ['false', 'false', '/body'],
  ['a text', '"displayName"', '/body'],
  ['an empty text', '""', '/body'],
  ['JSON inside of a text', JSON.stringify('{"displayName":"Mallory"}'), '/body'],
  ['nothing', '', '/body'],
  ['nothing inside', '{}', '/body'],
  ['depth', deep, '/body'],
  ['depth inside', `{"displayName":${deep}}`, '/body'],
  ['as much depth as may be', `{"displayName":${'['.repeat(63)}${']'.repeat(63)}}`, '/body/displayName'],
  ['brackets in a text', `{"displayName":"Ada","a":"${'['.repeat(100)}\\"${'{'.repeat(100)}"}`, '/body/a'],
  ['a name as long as may be', `{"${'n'.repeat(100)}":1}`, `/body/${'n'.repeat(100)}`],
  ['a name without end', `{"${'n'.repeat(10_000)}":1}`, `/body/${'n'.repeat(100)}`],
  [
    'a name without end, of pairs',
    JSON.stringify({ [`n${'𝒳'.repeat(100)}`]: 1 }),
    `/body/n${'𝒳'.repeat(49)}`,
  ],
  ['a prototype', '{"__proto__":{"displayName":"Mallory"}}', '/body/__proto__'],
  ['a constructor', '{"constructor":{"prototype":{"admin":true}}}', '/body/constructor'],
  ['an inherited name', '{"toString":"x","displayName":"x"}', '/body/toString'],
  ['U+0000', JSON.stringify({ displayName: `A${NUL}` }), '/body/displayName'],
  ['a line break', JSON.stringify({ displayName: 'Ada\nEve' }), '/body/displayName'],
  ['an override of direction', JSON.stringify({ displayName: 'Ada\u202eevE' }), '/body/displayName'],
  ['U+0000 in a name', JSON.stringify({ [`display${NUL}Name`]: 'x' }), `/body/display${NUL}Name`],
  ['a line separator', JSON.stringify({ displayName: 'Ada\u2028Eve' }), '/body/displayName'],
  ['a number as a name', '{"displayName":5}', '/body/displayName'],
  ['a name that is too long', JSON.stringify({ displayName: 'x'.repeat(201) }), '/body/displayName'],
  ['a currency that is not offered', '{"homeCurrency":"USD"}', '/body/homeCurrency'],
  ['a currency in small letters', '{"homeCurrency":"gbp"}', '/body/homeCurrency'],
  ['no currency any more', '{"homeCurrency":null}', '/body/homeCurrency'],
])('JSON that violates the contract is refused: %s', async (_what, body, path) => {
  expect(faultIn(await patch(body))).toEqual([400, 'invalid_request', path]);
});

test('a missing body is refused with the path /body', async () => {
  const answer = await call(world, 'PATCH', '/me', { token: ada.token });
  expect(faultIn(answer)).toEqual([400, 'invalid_request', '/body']);
});

test.each([
  'a "quoted" name, a \\ and a /',
  '</script><script>alert(1)</script>',
  '{"displayName":"Eve"}',
  'é, ü, 日本, 𝒳, 👩‍🚀',
  "Robert'); drop table users;--",
])('the name %j is returned as it was sent', async (displayName) => {
  const { status, body } = await patch(JSON.stringify({ displayName }));
  expect([status, body['displayName']]).toEqual([200, displayName]);
});

test('unusual names are accepted', async () => {
  for (const displayName of ['', '𝒳'.repeat(200), '\ud800', "Robert'); drop table users;--", '<b>'])
    expect((await patch(JSON.stringify({ displayName }))).status).toBe(200);
});

test.each([
  ['an unknown event', { json: { event: 'moon.rose', data: { uuid: 'x' } } }, 200],
  ['an empty object', { json: {} }, 200],
  ['U+0000 everywhere', { json: { event: `a${NUL}b`, data: { uuid: NUL, [NUL]: NUL } } }, 200],
  ['too much depth', { body: `{"event":"x","data":${deep}}` }, 400],
  ['keys of prototypes', { body: '{"event":"__proto__","data":{"__proto__":{"uuid":"x"}}}' }, 200],
  ['an array', { body: '[]' }, 400],
  ['a text', { body: '"x"' }, 400],
  ['no JSON', { body: 'event=1' }, 400],
  ['no body', {}, 400],
  ['another type', { body: '<xml/>', headers: { 'content-type': 'text/xml' } }, 415],
  ['a compressed body', { body: gzipSync('{}'), headers: { 'content-encoding': 'gzip' } }, 415],
  ['a larger body than clients may send', { json: { event: 'x', data: 'x'.repeat(11 * 1024 * 1024) } }, 200],
  ['a body that is too large', { json: { event: 'x'.repeat(16 * 1024 * 1024) } }, 413],
] as [string, object, number][])('a callback with %s is answered with %s', async (_what, said, status) => {
  // A busy database may need longer for a large body than the deadline of a statement. The provider sends it again after a
  // 503.
  const answer = await until(
    () => hook(said),
    (one) => one.status !== 503,
  );
  expect(answer.status).toBe(status);
});

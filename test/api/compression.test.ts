// Which answers are compressed, for any Accept-Encoding. All others are not, because their length must not reveal what they
// contain.
import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { contract } from '../api-security/contract.ts';
import { exchange } from '../api-security/raw.ts';
import { exampleFor, filled } from '../api-security/send-to.ts';
import { useWorld } from '../support/use-world.ts';

const ALL = 'gzip, deflate, br, zstd';

// With CORS, an answer varies for a second reason.
const { world, ada } = useWorld({ env: { CORS_ORIGINS: 'https://app.example' }, deposit: '100.00' });
beforeAll(async () => {
  await sql`
    insert into transactions (id, user_id, type, status, source_currency, source_amount_minor, provider, created_at)
    select gen_random_uuid(), ${ada.userId}::uuid, 'deposit', 'completed', 'GBP', n, 'sandbox', now() - make_interval(mins => n)
    from generate_series(1, 60) n`.execute(world.service.app.db);
});

async function get(path: string, accepted: string | undefined) {
  const response = await fetchRaw(path, accepted);
  const named = new Map(response.headers.map(([name, value]) => [name.toLowerCase(), value]));
  return { status: response.status, bytes: response.bytes, header: (name: string) => named.get(name) };
}

/** Requests a path and returns the bytes as sent, which `fetch` would decode. */
function fetchRaw(path: string, accepted: string | undefined) {
  const headers = {
    authorization: `Bearer ${ada.token}`,
    ...(accepted !== undefined && { 'accept-encoding': accepted }),
  };
  return new Promise<{ status: number; headers: [string, string][]; bytes: Buffer }>((resolve, reject) => {
    const sent = request(`${world.url}${path}`, { headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
          bytes: Buffer.concat(chunks),
        }),
      );
    });
    sent.once('error', reject).end();
  });
}

test.each([
  ['br', ALL, brotliDecompressSync],
  ['gzip', 'gzip', gunzipSync],
  [undefined, undefined, (bytes: Buffer) => bytes],
  [undefined, 'br;q=0, gzip;q=0', (bytes: Buffer) => bytes],
])(
  'a document has the content encoding %s for a client that accepts %s',
  async (encoding, accepted, open) => {
    const path = '/openapi.json';
    const { status, header, bytes } = await get(path, accepted);
    expect([status, header('content-encoding'), header('vary')]).toEqual([200, encoding, 'Accept-Encoding']);
    expect(Number(header('content-length'))).toBe(bytes.length);
    const whole = open(bytes);
    expect(encoding === undefined || bytes.length < whole.length / 2).toBe(true);
    expect(whole.equals((await get(path, undefined)).bytes)).toBe(true);
  },
);

test('a long list is not compressed, because it has texts of payers and recipients', async () => {
  const { bytes, header } = await get('/transactions', ALL);
  expect(bytes.length).toBeGreaterThan(10_000);
  expect([header('content-encoding'), header('vary')]).toEqual([undefined, 'Origin, Accept-Language']);
  expect(header('cache-control')).toBe('no-store');
});

test.each(contract)('the answer to $method $path is not compressed', async (operation) => {
  const headers = { authorization: `Bearer ${ada.token}`, 'accept-encoding': ALL };
  const { body } = exampleFor(operation);
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  // The next tests still need the account, so it is not closed.
  const method = operation.id === 'closeAccount' ? 'PUT' : operation.method;
  const heard = await exchange(world, method, filled(world, operation.path), {
    headers: { ...headers, ...json },
    ...(body !== undefined && { body }),
  });
  const names = heard.headers.map(([name]) => name.toLowerCase());
  expect(names).not.toContain('content-encoding');
  expect(() => JSON.parse(heard.text) as unknown).not.toThrow();
});

// Opened values are cached for a short time, each only under its own encryption context.
import { createSecretKey, randomBytes } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openWith, sealWith } from '../../src/security/envelope.ts';
import { createPlaintextCache, type PlaintextCache } from '../../src/security/plaintext-cache.ts';
import { createSealer } from '../../src/security/sealer.ts';
import { until } from '../support/until.ts';

const context = { table: 'bank_details', column: 'details_sealed', row: 'GBP', scope: 'ada', version: 1 };
const key = createSecretKey(randomBytes(32));
const seal = (text: string, at = context) => sealWith(key, at, Buffer.from(text));

let opened: PlaintextCache;
beforeEach(() => {
  vi.useFakeTimers();
  opened = createPlaintextCache();
});
afterEach(() => vi.useRealTimers());

/** @returns the text, and whether the value had to be opened. */
function look(sealed: Uint8Array, at = context): [text: string, isOpened: boolean] {
  let isOpened = false;
  const text = opened(at, sealed, () => {
    isOpened = true;
    return openWith(key, at, sealed).toString();
  });
  return [text, isOpened];
}

/** The number of bytes in all buffers that are still in use. */
function bytesOfBuffers(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().arrayBuffers;
}

test('a cached value is not opened again, whatever buffer its bytes come in', () => {
  const sealed = seal('ada@example.com');
  expect(look(sealed)).toEqual(['ada@example.com', true]);
  const within = Buffer.concat([Buffer.alloc(7), sealed, Buffer.alloc(7)]);
  expect(look(within.subarray(7, -7))).toEqual(['ada@example.com', false]);
});

test('a cached value is evicted after two minutes at most, even if it is read all the time', () => {
  const sealed = seal('ada@example.com');
  look(sealed);
  for (let seconds = 1; seconds < 120; seconds += 1) {
    vi.advanceTimersByTime(1_000);
    expect(look(sealed)).toEqual(['ada@example.com', false]);
  }
  vi.advanceTimersByTime(1_000);
  expect(look(sealed)).toEqual(['ada@example.com', true]);
});

test('a cached value is kept without the buffer that its bytes came in', async () => {
  vi.useRealTimers();
  const before = bytesOfBuffers();
  for (let row = 0; row < 500; row += 1) {
    const at = { ...context, row: String(row) };
    const answer = Buffer.concat([Buffer.alloc(20_000), seal('ada@example.com', at)]);
    look(answer.subarray(20_000), at);
  }
  // A garbage collection may leave some buffers to the next one.
  await until(
    async () => bytesOfBuffers() - before,
    (bytes) => bytes < 1_000_000,
  );
  expect(look(seal('ada@example.com'))).toEqual(['ada@example.com', true]);
});

test('a cached value leaves no timer behind when it is no longer read', () => {
  look(seal('ada@example.com'));
  vi.advanceTimersByTime(180_000);
  expect(vi.getTimerCount()).toBe(0);
});

test('a value that is sealed again is opened again', () => {
  const [former, fresh] = [seal('ada@example.com'), seal('ada@example.org')];
  look(former);
  expect(look(fresh)).toEqual(['ada@example.org', true]);
  expect(look(fresh)).toEqual(['ada@example.org', false]);
});

test('a cached value opens in no other context, and not with a flipped bit', async () => {
  const { open } = createSealer({ keyOf: () => key, findKey: () => key }, opened);
  const sealed = seal('ada@example.com');
  expect(await open(context, sealed)).toBe('ada@example.com');
  for (const elsewhere of [
    { table: 'withdraws' },
    { version: 2 },
    { column: 'name_sealed' },
    { row: 'bea' },
    { scope: 'bea' },
  ])
    await expect(open({ ...context, ...elsewhere }, sealed)).rejects.toThrow(Error);
  const bent = Buffer.from(sealed);
  bent.writeUInt8(bent.readUInt8(20) ^ 1, 20);
  await expect(open(context, bent)).rejects.toThrow(Error);
});

test('a value is not cached if it is too long or if the cache is full', () => {
  const long = seal('x'.repeat(2_000));
  look(long);
  expect(look(long)[1]).toBe(true);
  for (let n = 0; n < 10_000; n += 1) opened({ ...context, row: String(n) }, randomBytes(40), () => '');
  const another = seal('bea@example.com');
  look(another);
  expect(look(another)[1]).toBe(true);
});

test('a value that does not open is not cached', () => {
  const stranger = sealWith(createSecretKey(randomBytes(32)), context, Buffer.from('eve'));
  expect(() => look(stranger)).toThrow(Error);
  expect(() => look(stranger)).toThrow(Error);
});

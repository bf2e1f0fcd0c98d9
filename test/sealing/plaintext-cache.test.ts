// Opened values are cached for a moment, each under its own encryption context alone.
import { createSecretKey, randomBytes } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openWith, sealWith } from '../../src/sealing/envelope.ts';
import { createPlaintextCache, type PlaintextCache } from '../../src/sealing/plaintext-cache.ts';
import { createSealer } from '../../src/sealing/sealer.ts';
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

/** @returns the text, and whether it had to be opened. */
function look(sealed: Uint8Array, at = context): [text: string, isOpened: boolean] {
  let isOpened = false;
  const text = opened(at, sealed, () => {
    isOpened = true;
    return openWith(key, at, sealed).toString();
  });
  return [text, isOpened];
}

/** What all buffers hold that are still in use. */
function bytesOfBuffers(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().arrayBuffers;
}

describe('what was opened', () => {
  it('is not opened again a moment later, from whatever buffer it comes', () => {
    const sealed = seal('ada@example.com');
    expect(look(sealed)).toEqual(['ada@example.com', true]);
    const within = Buffer.concat([Buffer.alloc(7), sealed, Buffer.alloc(7)]);
    expect(look(within.subarray(7, -7))).toEqual(['ada@example.com', false]);
  });

  it('is evicted after two minutes at most, even if it is read all the time', () => {
    const sealed = seal('ada@example.com');
    look(sealed);
    for (let seconds = 1; seconds < 120; seconds += 1) {
      vi.advanceTimersByTime(1_000);
      expect(look(sealed)).toEqual(['ada@example.com', false]);
    }
    vi.advanceTimersByTime(1_000);
    expect(look(sealed)).toEqual(['ada@example.com', true]);
  });

  it('is kept without the buffer that its bytes came in', async () => {
    vi.useRealTimers();
    const before = bytesOfBuffers();
    for (let row = 0; row < 500; row += 1) {
      const at = { ...context, row: String(row) };
      const answer = Buffer.concat([Buffer.alloc(20_000), seal('ada@example.com', at)]);
      look(answer.subarray(20_000), at);
    }
    // A collection may leave some to the next one.
    await until(
      async () => bytesOfBuffers() - before,
      (bytes) => bytes < 1_000_000,
    );
    expect(look(seal('ada@example.com'))).toEqual(['ada@example.com', true]);
  });

  it('leaves no timer behind when it is no longer read', () => {
    look(seal('ada@example.com'));
    vi.advanceTimersByTime(180_000);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is opened again when it is sealed again, and then replaces the former one', () => {
    const [former, fresh] = [seal('ada@example.com'), seal('ada@example.org')];
    look(former);
    expect(look(fresh)).toEqual(['ada@example.org', true]);
    expect(look(fresh)).toEqual(['ada@example.org', false]);
    expect(look(former)).toEqual(['ada@example.com', true]);
  });

  it('opens in no other context, and not with a bit flipped', async () => {
    const { open } = createSealer({ keyOf: () => key, existingKeyOf: () => key }, opened);
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

  it('is not kept when it is long, or one too many', () => {
    const long = seal('x'.repeat(2_000));
    look(long);
    expect(look(long)[1]).toBe(true);
    for (let n = 0; n < 10_000; n += 1)
      opened({ ...context, row: String(n) }, long.subarray(0, 40), () => '');
    const another = seal('bea@example.com');
    look(another);
    expect(look(another)[1]).toBe(true);
  });

  it('is not kept when it does not open', () => {
    const stranger = sealWith(createSecretKey(randomBytes(32)), context, Buffer.from('eve'));
    expect(() => look(stranger)).toThrow(Error);
    expect(() => look(stranger)).toThrow(Error);
  });
});

// `Retry-After` over real HTTP. It applies to the operation whose response has it, or to every operation if the whole provider
// refuses.
import { expect, test } from 'vitest';
import { unattended } from '../../src/provider/caller.ts';
import type { OutcomeUnknown } from '../../src/provider/errors.ts';
import { until } from '../support/until.ts';
import { endOf, lookAs, onTheWay, type Way } from './support.ts';

const sent = ({ proxy }: Way) => proxy.count('findPayouts');
const retryAfterMs = ({ connection }: Way, operation = 'findPayouts') =>
  connection.state().retryAfterMs[operation] ?? Number.NaN;

/** Makes one call that is answered with this status and a `Retry-After` in seconds. */
async function answered(
  way: Way,
  status: number,
  retryAfter: number,
  operation: 'findPayouts' | 'findInternalTransfers' = 'findPayouts',
): Promise<void> {
  way.proxy.spoil({ operation, spoilt: { status, retryAfter }, forwarded: false, about: 'first' });
  const call =
    operation === 'findPayouts'
      ? lookAs.background(way, 'first')
      : way.connection.for(unattended).findTransfer('first');
  expect(await endOf(call)).toBe('unknown');
}

test.each([429, 503])(
  'Retry-After of a %i applies to all calls of its operation until it has passed',
  onTheWay(async (way, status) => {
    await answered(way, status, 3);
    const rejected = await lookAs.background(way).catch((error: unknown) => error);
    expect(rejected).toMatchObject({ sent: false });
    expect((rejected as OutcomeUnknown).retryAfterMs).toBeGreaterThan(0);
    expect((rejected as OutcomeUnknown).retryAfterMs).toBeLessThanOrEqual(3_000);
    // This is longer than an interactive call may wait.
    expect(await endOf(lookAs.interactive(way))).toBe('unsent');
    expect(sent(way)).toBe(1);
    await until(
      async () => retryAfterMs(way),
      (ms) => ms === 0,
    );
    expect(await lookAs.background(way)).toBeNull();
  }),
);

test.each(['interactive', 'background'] as const)(
  'a call of %s priority waits for a short Retry-After',
  onTheWay(async (way, priority) => {
    await answered(way, 503, 1);
    expect(await lookAs[priority](way)).toBeNull();
    // A call that did not wait would be answered while the Retry-After lasts.
    expect(retryAfterMs(way)).toBe(0);
  }),
);

test.each([429, 503])(
  'Retry-After of a %i on one operation does not affect other operations',
  onTheWay(async (way, status) => {
    await answered(way, status, 600);
    expect(await way.provider.findTransfer('nobody')).toBeNull();
    expect(retryAfterMs(way, 'findInternalTransfers')).toBe(0);
    expect(await endOf(lookAs.background(way))).toBe('unsent');
  }),
);

test.each([401, 403])(
  'Retry-After of a %i applies to every operation, because the whole provider refuses',
  onTheWay(async (way, status) => {
    await answered(way, status, 600);
    expect(await endOf(lookAs.background(way))).toBe('unsent');
    expect(await endOf(way.provider.findTransfer('nobody'))).toBe('unsent');
    expect(retryAfterMs(way, 'createQuote')).toBeGreaterThan(0);
  }),
);

test(
  'Retry-After of a 503 on several operations applies to every operation if the probe is answered with it as well',
  onTheWay(async (way) => {
    way.proxy.spoil({ operation: 'findOwners', spoilt: { status: 503, retryAfter: 300 }, forwarded: false });
    await answered(way, 503, 600);
    await answered(way, 503, 400, 'findInternalTransfers');
    await until(
      async () => retryAfterMs(way, 'createQuote'),
      (ms) => ms > 200_000,
    );
    expect(await endOf(way.provider.findAccount('nobody'))).toBe('unsent');
    expect(retryAfterMs(way, 'createQuote')).toBeLessThanOrEqual(300_000);
    expect(retryAfterMs(way)).toBeGreaterThan(500_000);
  }),
);

test(
  'Retry-After of a 503 on several operations applies to these alone if the probe is answered',
  onTheWay(async (way) => {
    await answered(way, 503, 600);
    await answered(way, 503, 600, 'findInternalTransfers');
    await until(async () => way.seen.includes('findOwners answered'), Boolean);
    expect(await way.provider.findAccount('nobody')).toBeNull();
  }),
);

test(
  'Retry-After of a 429 on several operations applies to these alone, because each has its own rate limit',
  onTheWay(async (way) => {
    await answered(way, 429, 600);
    await answered(way, 429, 600, 'findInternalTransfers');
    expect(await way.provider.findOwner('nobody')).toBeNull();
  }),
);

test(
  'Retry-After of a 500 applies to no further call',
  onTheWay(async (way) => {
    await answered(way, 500, 60);
    expect(await lookAs.background(way)).toBeNull();
  }),
);

test(
  'Retry-After of a year counts as a mistake, and only ten minutes are honoured',
  onTheWay(async (way) => {
    await answered(way, 503, 365 * 24 * 3_600);
    expect(retryAfterMs(way)).toBeGreaterThan(9 * 60_000);
    expect(retryAfterMs(way)).toBeLessThanOrEqual(10 * 60_000);
  }),
);

// Each kind of discrepancy is told in words, with the currencies of its amounts, whatever the stored figures lack.
import { expect, test } from 'vitest';
import { discrepancyText, findingText } from '../../ops/discrepancy-words.ts';
import { type DiscrepancyKind } from '../../src/reports/discrepancies.ts';
import { discrepancyKinds } from '../../src/tables/discrepancies/entity.ts';

type Case = [DiscrepancyKind, event: string, data: Record<string, unknown>, text: string];

const cases: Case[] = [
  [
    'contradicted_state',
    'off-ramp.completed',
    { amountMinor: 1_250, currency: 'BRL', endToEndId: 'E1', voucherId: null },
    'The provider reports the payout as completed (BRL 12.50, end-to-end id E1), which our state failed does not allow.',
  ],
  [
    'contradicted_state',
    'leg1.failed',
    { reason: 'other' },
    'The provider reports the first conversion as failed (reason other), which our state failed does not allow.',
  ],
  [
    'contradicted_state',
    'kyc.completed',
    {},
    'The provider reports the verification as completed, which our state failed does not allow.',
  ],
  [
    'not_as_ordered',
    'off-ramp.failed',
    { amountMinor: 999, currency: 'BRL', attempt: 2, differs: ['amount', 'recipient'] },
    'The provider reports the payout as failed (BRL 9.99, attempt 2). Not as ordered: amount, recipient.',
  ],
  [
    'not_as_ordered',
    'deposit.received',
    { amountMinor: 5, currency: 'EUR', differs: ['currency'] },
    'The provider reports the deposit as received (EUR 0.05). Not as ordered: currency.',
  ],
  [
    'debit_differs',
    'direct.completed',
    { sourceAmountMinor: 99, destinationAmountMinor: 700, expectedSourceMinor: 100 },
    'The conversion took GBP 0.99 instead of GBP 1.00.',
  ],
  [
    'debit_differs',
    'leg2.completed',
    { sourceAmountMinor: 1_000_001, destinationAmountMinor: 700, expectedSourceMinor: 1_000_000 },
    'The second conversion took USDC 1.000001 instead of USDC 1.000000.',
  ],
  [
    'delivery_differs',
    'leg1.completed',
    { sourceAmountMinor: 100, destinationAmountMinor: 1_300_000, expectedDestinationMinor: 1_250_000 },
    'The first conversion delivered USDC 1.300000 instead of USDC 1.250000.',
  ],
  [
    'twin',
    'off-ramp.completed',
    { status: 'completed', attempt: 1, amountMinor: 700, currency: 'BRL' },
    'The provider has a second object under this handle: completed, BRL 7.00, attempt 1.',
  ],
  [
    'vanished',
    'vanished',
    { status: 'pending' },
    'The provider no longer has the object. Its last known status: pending.',
  ],
  ['vanished', 'vanished', {}, 'The provider no longer has the object. Its last known status: none.'],
  [
    'clock_stepped_back',
    'clock_stepped_back',
    { status: 'provisioning', currency: 'GBP' },
    'The provider shows a change under an earlier time than before: provisioning, GBP.',
  ],
  [
    'quote_lifetime',
    'quoted',
    { lifeMs: 3_600_000 },
    'A quote claims to be valid for 1 h. It counts for five minutes.',
  ],
  [
    'not_ordered',
    'internal-transfer.completed',
    { status: 'completed', sourceAmountMinor: 100, destinationAmountMinor: 700, rate: 7 },
    'The provider debited the account, and no row here ordered it: completed, GBP 1.00 -> 700 minor units, rate 7.',
  ],
];

test.each(cases)('%s of %s with %j is told in words', (kind, event, eventData, text) => {
  const told = { subjectKind: 'pix_payment', kind, event, eventData, state: 'failed' } as const;
  expect(discrepancyText(told, 'GBP')).toBe(text);
});

test('every kind has an example', () => {
  expect([...new Set(cases.map(([kind]) => kind))].toSorted()).toEqual(discrepancyKinds.toSorted());
});

test('amounts in an unknown currency are told in minor units, and lost figures as unknown', () => {
  const told = {
    subjectKind: 'pix_payment',
    kind: 'debit_differs',
    event: 'direct.completed',
    state: '',
  } as const;
  const eventData = { sourceAmountMinor: 99, expectedSourceMinor: 100 };
  expect(discrepancyText({ ...told, eventData }, null)).toBe(
    'The conversion took 99 minor units instead of 100 minor units.',
  );
  expect(discrepancyText({ ...told, eventData: {} }, 'GBP')).toBe(
    'The conversion took an unknown amount instead of an unknown amount.',
  );
});

test('what the provider wrote cannot change the terminal', () => {
  const eventData = { reason: 'a\u001b[2Jb\nc' };
  const told = {
    subjectKind: 'withdraw',
    kind: 'contradicted_state',
    event: 'off-ramp.failed',
    eventData,
    state: 's',
  } as const;
  expect(discrepancyText(told, 'GBP')).toContain('(reason a [2Jb c)');
});

test('an item of a list that cannot be read is told with its place', () => {
  const finding = {
    kind: 'unreadable',
    list: 'payouts',
    reason: 'amount: must be a number',
    position: null,
  } as const;
  expect(findingText(finding)).toBe(
    'An object in the list of payouts cannot be read: amount: must be a number. It follows the beginning of the list.',
  );
  expect(findingText({ ...finding, kind: 'cursor_circle', position: 'p' })).toMatch(
    / lead in a circle: .* It follows p\.$/,
  );
});

// The normalised events of the provider, and the reports that are not events.
import { expect, test } from 'vitest';
import { eventOf } from '../../src/provider/events.ts';
import type { Movement, OwnerSnapshot, PayoutSnapshot, TransferSnapshot } from '../../src/provider/port.ts';

const at = new Date('2026-11-22T12:00:00.000Z');

const movement = (said: Partial<Movement> = {}): Movement => ({
  kind: 'movement',
  providerRef: 'movement',
  accountRef: 'account',
  direction: 'credit',
  purpose: 'deposit',
  amountMinor: 3_100,
  currency: 'GBP',
  sourceReference: null,
  createdAt: at,
  ...said,
});

const payout = (said: Partial<PayoutSnapshot> = {}): PayoutSnapshot => ({
  kind: 'payout',
  handle: 'handle',
  providerRef: 'payout',
  updatedAt: at,
  status: 'completed',
  attempt: 1,
  sourceAccountRef: 'account',
  destination: { rail: 'PIX', pixKey: 'key', pixKeyType: 'evp', recipientName: null },
  amountMinor: 25_000,
  currency: 'BRL',
  endToEndId: 'E1',
  voucherId: null,
  failureReason: null,
  payoutFailure: null,
  refunds: [],
  ...said,
});

const transfer = (said: Partial<TransferSnapshot> = {}): TransferSnapshot => ({
  kind: 'transfer',
  handle: 'handle',
  providerRef: 'transfer',
  updatedAt: at,
  status: 'completed',
  sourceAccountRef: 'pounds',
  destinationAccountRef: 'reais',
  sourceAmountMinor: 3_581,
  destinationAmountMinor: 25_000,
  sourcePlaces: 2,
  destinationPlaces: 2,
  rate: '7.05000000',
  failureReason: null,
  ...said,
});

const owner = (said: Partial<OwnerSnapshot>): OwnerSnapshot => ({
  kind: 'owner',
  handle: 'handle',
  providerRef: 'owner',
  updatedAt: at,
  status: 'pending',
  level: null,
  attempt: 1,
  failureCode: null,
  verificationUrl: null,
  verificationUrlExpiresAt: null,
  fullName: null,
  email: null,
  completedAt: null,
  ...said,
});
const about = { providerOwnerId: 'owner' };

test.each<[string, Partial<OwnerSnapshot>, object | null]>([
  ['pending', {}, null],
  ['pending again', { attempt: 2 }, { kind: 'kyc.restarted', ...about, attempt: 2 }],
  ['completed', { status: 'completed', attempt: 2 }, { kind: 'kyc.updated', ...about, status: 'completed' }],
  ['failed', { status: 'failed' }, { kind: 'kyc.updated', ...about, status: 'failed', attempt: 1 }],
  [
    'failed for a reason',
    { status: 'failed', attempt: 3, failureCode: 'other' },
    { kind: 'kyc.updated', ...about, status: 'failed', attempt: 3, failureCode: 'other' },
  ],
])('a verification that is %s has the expected event', (_what, said, event) => {
  expect(eventOf(owner(said))).toEqual(event);
});

test('a movement that is a deposit becomes deposit.received', () => {
  expect(eventOf(movement())).toEqual({
    kind: 'deposit.received',
    providerAccountId: 'account',
    amount: 3_100,
    currency: 'GBP',
  });
});

test('the event of a deposit has the payer’s text', () => {
  expect(eventOf(movement({ sourceReference: 'rent' }))).toMatchObject({ sourceReference: 'rent' });
});

test.each<[string, Partial<Movement>]>([
  ['a debit', { direction: 'debit' }],
  ['a conversion', { purpose: 'internal_transfer' }],
  ['a payout', { purpose: 'payout', direction: 'debit' }],
  ['a refunded payout', { purpose: 'payout_refund' }],
  ['a credit of zero', { amountMinor: 0 }],
])('a movement that is %s is not an event', (_what, said) => {
  expect(eventOf(movement(said))).toBeNull();
});

test('a payout that completed becomes off-ramp.completed', () => {
  expect(eventOf(payout())).toMatchObject({
    kind: 'off-ramp.completed',
    providerRef: 'payout',
    fiatAmount: '250.00',
    fiatCurrency: 'BRL',
    endToEndId: 'E1',
  });
});

test.each(['failed', 'refunded'] as const)(
  'a payout that %s becomes an event with its reason and its amount',
  (status) => {
    expect(eventOf(payout({ status, failureReason: 'the bank is closed' }))).toMatchObject({
      kind: `off-ramp.${status}`,
      providerRef: 'payout',
      reason: 'the bank is closed',
      amountMinor: 25_000,
      fiatCurrency: 'BRL',
    });
  },
);

test('a payout that is pending is not an event', () => {
  expect(eventOf(payout({ status: 'pending' }))).toBeNull();
});

test('a transfer that completed becomes internal-transfer.completed', () => {
  expect(eventOf(transfer())).toEqual({
    kind: 'internal-transfer.completed',
    providerRef: 'transfer',
    sourceAmount: 3_581,
    destinationAmount: 25_000,
    rate: 7.05,
  });
});

test('a transfer that failed becomes internal-transfer.failed', () => {
  const reason = 'the market closed';
  expect(eventOf(transfer({ status: 'failed', failureReason: reason }))).toEqual({
    kind: 'internal-transfer.failed',
    providerRef: 'transfer',
    reason,
  });
});

test('a transfer that is pending is not an event', () => {
  expect(eventOf(transfer({ status: 'pending' }))).toBeNull();
});

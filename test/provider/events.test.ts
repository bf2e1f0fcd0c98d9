// The normalised events of the provider, and the reports that are not events.
import { expect, test } from 'vitest';
import { eventOf, isDeposit } from '../../src/provider/events.ts';
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
  failureCode: null,
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

test.each<[string, Partial<OwnerSnapshot>, object | null]>([
  ['pending', {}, null],
  ['pending again', { attempt: 2 }, { type: 'kyc.restarted', attempt: 2 }],
  [
    'completed',
    { status: 'completed', attempt: 2, level: 'enhanced' },
    { type: 'kyc.updated', status: 'completed', level: 'enhanced' },
  ],
  ['failed', { status: 'failed' }, { type: 'kyc.updated', status: 'failed', attempt: 1, failureCode: null }],
  [
    'failed for a reason',
    { status: 'failed', attempt: 3, failureCode: 'other' },
    { type: 'kyc.updated', status: 'failed', attempt: 3, failureCode: 'other' },
  ],
])('a verification that is %s has the expected event', (_what, said, event) => {
  expect(eventOf(owner(said))).toEqual(event);
});

test('a movement that a payer made is a deposit', () => {
  expect(isDeposit(movement())).toBe(true);
});

test.each<[string, Partial<Movement>]>([
  ['a debit', { direction: 'debit' }],
  ['a conversion', { purpose: 'internal_transfer' }],
  ['a payout', { purpose: 'payout', direction: 'debit' }],
  ['a refunded payout', { purpose: 'payout_refund' }],
  ['a credit of zero', { amountMinor: 0 }],
])('a movement that is %s is not a deposit', (_what, said) => {
  expect(isDeposit(movement(said))).toBe(false);
});

test('a payout that completed becomes off-ramp.completed', () => {
  expect(eventOf(payout())).toEqual({
    type: 'off-ramp.completed',
    amountMinor: 25_000,
    currency: 'BRL',
    endToEndId: 'E1',
    voucherId: null,
  });
});

test.each(['failed', 'refunded'] as const)('a payout that %s becomes an event with its amount', (status) => {
  expect(eventOf(payout({ status }))).toMatchObject({
    type: `off-ramp.${status}`,
    amountMinor: 25_000,
    currency: 'BRL',
  });
});

test('a payout that is pending is not an event', () => {
  expect(eventOf(payout({ status: 'pending' }))).toBeNull();
});

test('a transfer that completed becomes internal-transfer.completed', () => {
  expect(eventOf(transfer())).toEqual({
    type: 'internal-transfer.completed',
    sourceAmountMinor: 3_581,
    destinationAmountMinor: 25_000,
  });
});

test('a transfer that failed becomes internal-transfer.failed', () => {
  expect(eventOf(transfer({ status: 'failed', failureReason: 'the market closed' }))).toEqual({
    type: 'internal-transfer.failed',
  });
});

test('a transfer that is pending is not an event', () => {
  expect(eventOf(transfer({ status: 'pending' }))).toBeNull();
});

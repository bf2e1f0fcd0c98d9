// Normalised provider events of the specification, and what is none of them.
import { describe, expect, it } from 'vitest';
import { eventOf } from '../../src/provider/events.ts';
import type { Movement, PayoutSnapshot, TransferSnapshot } from '../../src/provider/port.ts';

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

describe('a movement', () => {
  it('that is a deposit is deposit.received', () => {
    expect(eventOf(movement())).toEqual({
      kind: 'deposit.received',
      providerAccountId: 'account',
      amount: 3_100,
      currency: 'GBP',
    });
  });

  it('has the payer’s text', () => {
    expect(eventOf(movement({ sourceReference: 'rent' }))).toMatchObject({ sourceReference: 'rent' });
  });

  it.each<[string, Partial<Movement>]>([
    ['a debit', { direction: 'debit' }],
    ['a conversion', { purpose: 'internal_transfer' }],
    ['a payout', { purpose: 'payout', direction: 'debit' }],
    ['a payout that came back', { purpose: 'payout_refund' }],
    ['of nothing', { amountMinor: 0 }],
  ])('that is %s is no event', (_what, said) => {
    expect(eventOf(movement(said))).toBeNull();
  });
});

describe('a payout', () => {
  it('that completed is off-ramp.completed', () => {
    expect(eventOf(payout())).toMatchObject({
      kind: 'off-ramp.completed',
      providerRef: 'payout',
      fiatAmount: '250.00',
      fiatCurrency: 'BRL',
      endToEndId: 'E1',
    });
  });

  it.each(['failed', 'refunded'] as const)('that %s says so, with its reason and its amount', (status) => {
    expect(eventOf(payout({ status, failureReason: 'the bank is closed' }))).toMatchObject({
      kind: `off-ramp.${status}`,
      providerRef: 'payout',
      reason: 'the bank is closed',
      amountMinor: 25_000,
      fiatCurrency: 'BRL',
    });
  });

  it('that is pending is no event', () => {
    expect(eventOf(payout({ status: 'pending' }))).toBeNull();
  });
});

describe('a transfer', () => {
  it('that completed is internal-transfer.completed', () => {
    expect(eventOf(transfer())).toEqual({
      kind: 'internal-transfer.completed',
      providerRef: 'transfer',
      sourceAmount: 3_581,
      destinationAmount: 25_000,
      rate: 7.05,
    });
  });

  it('that failed is internal-transfer.failed', () => {
    const reason = 'the market closed';
    expect(eventOf(transfer({ status: 'failed', failureReason: reason }))).toEqual({
      kind: 'internal-transfer.failed',
      providerRef: 'transfer',
      reason,
    });
  });

  it('that is pending is no event', () => {
    expect(eventOf(transfer({ status: 'pending' }))).toBeNull();
  });
});

// Decides which of two snapshots of one object is newer: by the provider's clock, and if the times are equal or step back, by their
// contents.
import { expect, test } from 'vitest';
import type {
  AccountSnapshot,
  OwnerSnapshot,
  PayoutSnapshot,
  Snapshot,
  TransferSnapshot,
} from '../../src/provider/port.ts';
import { appliedColumns, type Recency, recencyOf } from '../../src/reports/recency.ts';

const T = Date.parse('2026-03-02T12:00:31.000Z');
const ID = { handle: 'ours', providerRef: 'theirs' };

const back = (...movements: string[]): Partial<PayoutSnapshot> => ({
  refunds: movements.map((movementRef) => ({ movementRef, amountMinor: 100, creditedAt: new Date(T) })),
});
const payout = (
  status: PayoutSnapshot['status'],
  atMs = 0,
  more: Partial<PayoutSnapshot> = {},
): PayoutSnapshot => ({
  kind: 'payout',
  ...ID,
  status,
  updatedAt: new Date(T + atMs),
  attempt: 1,
  sourceAccountRef: 'reais',
  destination: { rail: 'PIX', pixKey: 'key', pixKeyType: 'evp', recipientName: null },
  amountMinor: 10_000,
  currency: 'BRL',
  endToEndId: null,
  voucherId: null,
  failureReason: null,
  payoutFailure: null,
  refunds: [],
  ...more,
});
const transfer = (
  status: TransferSnapshot['status'],
  atMs = 0,
  more: Partial<TransferSnapshot> = {},
): TransferSnapshot => ({
  kind: 'transfer',
  ...ID,
  status,
  updatedAt: new Date(T + atMs),
  sourceAccountRef: 'pounds',
  destinationAccountRef: 'reais',
  sourceAmountMinor: 1_500,
  destinationAmountMinor: 10_000,
  sourcePlaces: 2,
  destinationPlaces: 2,
  rate: '6.66666667',
  failureReason: null,
  ...more,
});
const owner = (
  status: OwnerSnapshot['status'],
  atMs = 0,
  more: Partial<OwnerSnapshot> = {},
): OwnerSnapshot => ({
  kind: 'owner',
  ...ID,
  status,
  updatedAt: new Date(T + atMs),
  level: null,
  attempt: 1,
  failureCode: null,
  verificationUrl: null,
  verificationUrlExpiresAt: null,
  fullName: null,
  email: null,
  completedAt: null,
  ...more,
});
const account = (
  status: AccountSnapshot['status'],
  atMs = 0,
  more: Partial<AccountSnapshot> = {},
): AccountSnapshot => ({
  kind: 'account',
  ...ID,
  status,
  updatedAt: new Date(T + atMs),
  currency: 'GBP',
  balanceMinor: 0,
  depositInstructions: null,
  ...more,
});

const second = { attempt: 2 };

const pairs: [string, Snapshot, Snapshot, Recency][] = [
  ['a later time', payout('pending'), payout('completed', 1), 'newer'],
  ['a later time, back to pending', payout('completed'), payout('pending', 1), 'newer'],
  ['the same', payout('completed'), payout('completed'), 'same'],
  ['pending, then completed', payout('pending'), payout('completed'), 'newer'],
  ['pending, then failed', payout('pending'), payout('failed'), 'newer'],
  ['pending, then refunded', payout('pending'), payout('refunded'), 'newer'],
  ['completed, then refunded', payout('completed'), payout('refunded'), 'newer'],
  ['failed, then refunded', payout('failed'), payout('refunded'), 'newer'],
  ['completed, then pending', payout('completed'), payout('pending'), 'older'],
  ['refunded, then completed', payout('refunded'), payout('completed'), 'older'],
  ['completed, then failed', payout('completed'), payout('failed'), 'differs'],
  ['failed, then completed', payout('failed'), payout('completed'), 'differs'],
  ['another amount', payout('completed'), payout('completed', 0, { amountMinor: 9_999 }), 'differs'],
  ['another receipt', payout('completed'), payout('completed', 0, { endToEndId: 'E1' }), 'differs'],
  ['a part came back', payout('completed'), payout('completed', 0, back('one')), 'newer'],
  ['before a part came back', payout('completed', 0, back('one')), payout('completed'), 'older'],
  [
    'another part came back instead',
    payout('completed', 0, back('one')),
    payout('completed', 0, back('two')),
    'differs',
  ],
  ['other words', payout('failed'), payout('failed', 0, { failureReason: 'closed' }), 'same'],
  ['failed, then issued again', payout('failed'), payout('pending', 0, second), 'newer'],
  ['issued again, then failed before', payout('pending', 0, second), payout('failed'), 'older'],
  ['issued again, then refunded before', payout('completed', 0, second), payout('refunded'), 'older'],
  ['a conversion, then done', transfer('pending'), transfer('completed'), 'newer'],
  ['a conversion, then failed', transfer('pending'), transfer('failed'), 'newer'],
  [
    'a conversion of other amounts',
    transfer('completed'),
    transfer('completed', 0, { sourceAmountMinor: 1 }),
    'differs',
  ],
  ['an account, then active', account('provisioning'), account('active'), 'newer'],
  ['an account with another balance', account('active'), account('active', 0, { balanceMinor: 5 }), 'same'],
  ['a verification, then completed', owner('pending'), owner('completed'), 'newer'],
  ['a refusal, then overturned', owner('failed'), owner('completed'), 'newer'],
  ['overturned, then the refusal', owner('completed'), owner('failed'), 'older'],
  ['a refusal, then its reason', owner('failed'), owner('failed', 0, { failureCode: 'other' }), 'differs'],
  ['a refusal, then another attempt', owner('failed'), owner('pending', 0, second), 'newer'],
  ['another attempt, then the refusal before', owner('pending', 0, second), owner('failed'), 'older'],
  [
    'another attempt, then the refusal before, later',
    owner('pending', 0, second),
    owner('failed', 9),
    'older',
  ],
  ['another attempt, then the first one pending', owner('pending', 0, second), owner('pending', 9), 'older'],
  ['another attempt, then the approval before', owner('pending', 0, second), owner('completed'), 'newer'],
  [
    'another attempt, then the approval before, later',
    owner('failed', 0, second),
    owner('completed', 9),
    'newer',
  ],
  [
    'the same with another page to verify on',
    owner('pending'),
    owner('pending', 0, { verificationUrl: 'https://x' }),
    'same',
  ],
];

test.each(pairs)(
  'a snapshot of the same time or later is ordered correctly: %s',
  (_what, applied, snapshot, order) => {
    expect(recencyOf(appliedColumns(applied), snapshot)).toBe(order);
  },
);

const earlier: [string, Snapshot, Snapshot, Recency][] = [
  ['what came before', payout('completed'), payout('pending', -1), 'older'],
  ['the same status', payout('completed', 0, { endToEndId: 'E1' }), payout('completed', -1), 'older'],
  ['the attempt before', payout('pending', 0, second), payout('failed', -1), 'older'],
  ['the refusal that was overturned', owner('completed'), owner('failed', -1), 'older'],
  ['the attempt of a verification before', owner('pending', 0, second), owner('failed', -1), 'older'],
  ['the approval of an attempt before', owner('pending', 0, second), owner('completed', -1), 'stepped_back'],
  ['what comes after', payout('pending'), payout('completed', -3_600_000), 'stepped_back'],
  ['a return', payout('completed'), payout('refunded', -1), 'stepped_back'],
  ['the next attempt', payout('failed'), payout('pending', -1, second), 'stepped_back'],
  ['another end', payout('completed'), payout('failed', -1), 'stepped_back'],
  ['a part came back', payout('completed'), payout('completed', -1, back('one')), 'stepped_back'],
  [
    'a second part came back',
    payout('completed', 0, back('one')),
    payout('completed', -1, back('one', 'two')),
    'stepped_back',
  ],
  ['before a part came back', payout('completed', 0, back('one')), payout('completed', -1), 'older'],
];

test.each(earlier)(
  'a snapshot of an earlier time is ordered correctly: %s',
  (_what, applied, snapshot, order) => {
    expect(recencyOf(appliedColumns(applied), snapshot)).toBe(order);
  },
);

const nothing = {
  snapshotUpdatedAt: null,
  snapshotStatus: null,
  snapshotAttempt: null,
  snapshotContent: null,
};

test('the first snapshot is always newer', () => {
  expect(recencyOf(nothing, payout('pending'))).toBe('newer');
});

test('if only the time of the last snapshot is known, the machine decides about one of the same time, and an earlier one is older', () => {
  const timed = { ...nothing, snapshotUpdatedAt: new Date(T) };
  expect(recencyOf(timed, payout('completed'))).toBe('differs');
  expect(recencyOf(timed, payout('completed', -1))).toBe('older');
  expect(recencyOf(timed, payout('completed', 1))).toBe('newer');
});

test('a first attempt without a reason has the content that version 0.2.0 stored', () => {
  expect(appliedColumns(owner('failed')).snapshotContent).toBe('{"status":"failed","level":null}');
  expect(appliedColumns(owner('failed', 0, { ...second, failureCode: 'other' })).snapshotContent).toBe(
    '{"status":"failed","level":null,"attempt":2,"failureCode":"other"}',
  );
});

test('the columns of an applied snapshot contain no personal value', () => {
  const named = [
    owner('completed', 0, { fullName: 'Ada Silva', email: 'ada@example.com' }),
    payout('failed', 0, { failureReason: 'Ada Silva is unknown' }),
    account('active', 0, {
      depositInstructions: {
        currency: 'GBP',
        accountHolderName: 'Ada Silva',
        accountNumber: '12345678',
        sortCode: '12-34-56',
      },
    }),
  ];
  expect(JSON.stringify(named.map(appliedColumns))).not.toMatch(/Ada|ada@|12345678/);
});

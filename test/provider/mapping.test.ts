// Maps objects of the provider's wire to the service's types.
import { describe, expect, test } from 'vitest';
import type { BankDetails } from '../../src/domain/bank-details.ts';
import {
  accountFrom,
  bankFields,
  movementFrom,
  ownerFrom,
  payoutCheckFrom,
  payoutDetailsFrom,
  payoutFrom,
  quoteFrom,
  transferDetailsFrom,
  transferFrom,
} from '../../src/provider/mapping.ts';
import type { Wire } from '../../src/provider/wire.ts';

const uuid = '5B1D3C52-1111-4000-8000-00000000000A';
const otherUuid = '5B1D3C52-2222-4000-8000-00000000000B';
const thirdUuid = '5B1D3C52-3333-4000-8000-00000000000C';
const time = '2026-11-21T10:00:00.123Z';
const identity = {
  handle: 'a-handle',
  providerRef: uuid.toLowerCase(),
  updatedAt: new Date(time),
};

const british = { account_holder_name: 'Ada', account_number: '12345678', sort_code: '12-34-56' };
const european = { account_holder_name: 'Ada', iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' };

test.each<[Wire['PayoutCheck'], object | null]>([
  [{ allowed: true }, null],
  [{ allowed: true, limit: 'night', limit_amount: '1000.00', resets_at: time }, null],
  [{ allowed: false }, { code: 'other', limit: null, retryFrom: null }],
  [
    { allowed: false, limit: null, resets_at: time },
    { code: 'other', limit: null, retryFrom: null },
  ],
  [
    { allowed: false, limit: 'per_payment', resets_at: time },
    { code: 'limit_reached', limit: 'per_payment', retryFrom: null },
  ],
  [
    { allowed: false, limit: 'night', resets_at: time },
    { code: 'limit_reached', limit: 'night', retryFrom: new Date(time) },
  ],
  [
    { allowed: false, limit: 'month', resets_at: 'soon' },
    { code: 'limit_reached', limit: null, retryFrom: null },
  ],
])('the check %j of a payout is mapped to %j', (check, failure) => {
  expect(payoutCheckFrom(check, new Date(time))).toEqual(failure);
});

describe('an owner', () => {
  const pending: Wire['Owner'] = {
    uuid,
    external_id: 'a-handle',
    status: 'PENDING',
    level: null,
    verification_url: 'https://verify.example/1',
    verification_url_expires_at: '2026-11-21T11:00:00.000Z',
    full_name: null,
    email: null,
    completed_at: null,
    updated_at: time,
  };

  test('a pending owner has the address of its verification', () => {
    expect(ownerFrom(pending)).toEqual({
      kind: 'owner',
      ...identity,
      status: 'pending',
      level: null,
      attempt: 1,
      failureCode: null,
      verificationUrl: 'https://verify.example/1',
      verificationUrlExpiresAt: new Date('2026-11-21T11:00:00.000Z'),
      fullName: null,
      email: null,
      completedAt: null,
    });
  });

  test('a completed owner has a level, a name and an email address', () => {
    const completed: Wire['Owner'] = {
      ...pending,
      status: 'COMPLETED',
      level: 'STANDARD',
      verification_url: null,
      verification_url_expires_at: null,
      full_name: 'Ada Lovelace',
      email: 'ada@example.com',
      completed_at: '2026-11-21T09:59:59.000Z',
    };
    expect(ownerFrom(completed)).toMatchObject({
      status: 'completed',
      level: 'standard',
      verificationUrl: null,
      verificationUrlExpiresAt: null,
      fullName: 'Ada Lovelace',
      email: 'ada@example.com',
      completedAt: new Date('2026-11-21T09:59:59.000Z'),
    });
  });

  test.each([
    ['name_mismatch', 'name_mismatch'],
    ['not_eligible', 'not_eligible'],
    ['fell_asleep', 'other'],
    [null, null],
    [undefined, null],
  ])('the failure code %s of a failed owner is mapped to %s', (failure_code, failureCode) => {
    const code = failure_code === undefined ? {} : { failure_code };
    const failed = ownerFrom({ ...pending, status: 'FAILED', attempt: 2, ...code });
    expect(failed).toMatchObject({ status: 'failed', attempt: 2, failureCode });
  });

  test('the failure code of an earlier attempt is dropped when another one has begun', () => {
    const restarted = ownerFrom({ ...pending, attempt: 2, failure_code: 'other' });
    expect(restarted).toMatchObject({ status: 'pending', attempt: 2, failureCode: null });
  });

  test.each([
    ['a NUL character', 'A\0da', 'Ada'],
    ['a lone surrogate', 'Ada\uD800', 'Ada\uFFFD'],
    ['more than 500 characters', '😀'.repeat(501), '😀'.repeat(500)],
  ])(
    'the name of an owner is changed to one that the database stores if it has %s',
    (_what, full_name, fullName) => {
      expect(ownerFrom({ ...pending, full_name }).fullName).toBe(fullName);
    },
  );
});

const account = (fields: Partial<Wire['Account']>): Wire['Account'] => ({
  uuid,
  external_id: 'a-handle',
  owner_uuid: otherUuid,
  currency: 'GBP',
  status: 'ACTIVE',
  balance: '12.34',
  deposit_instructions: null,
  updated_at: time,
  ...fields,
});

test('the balance of an account is in minor units of its currency', () => {
  expect(accountFrom(account({}))).toEqual({
    kind: 'account',
    ...identity,
    currency: 'GBP',
    status: 'active',
    balanceMinor: 1_234,
    depositInstructions: null,
  });
  expect(accountFrom(account({ currency: 'USDC', balance: '0.000012' })).balanceMinor).toBe(12);
  expect(accountFrom(account({ status: 'PROVISIONING' })).status).toBe('provisioning');
});

test.each<[string, Partial<Wire['Account']>, BankDetails | null]>([
  [
    'an account number and a sort code for GBP',
    { currency: 'GBP', deposit_instructions: british },
    { currency: 'GBP', accountHolderName: 'Ada', accountNumber: '12345678', sortCode: '12-34-56' },
  ],
  [
    'an IBAN and a BIC for EUR',
    { currency: 'EUR', deposit_instructions: european },
    { currency: 'EUR', accountHolderName: 'Ada', iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' },
  ],
  [
    'nothing for another currency',
    { currency: 'BRL', deposit_instructions: { ...british, ...european } },
    null,
  ],
  ['nothing for GBP without numbers', { currency: 'GBP', deposit_instructions: european }, null],
  ['nothing for EUR without an IBAN', { currency: 'EUR', deposit_instructions: british }, null],
  [
    'nothing without a sort code',
    { currency: 'GBP', deposit_instructions: { account_holder_name: 'Ada', account_number: '12345678' } },
    null,
  ],
  [
    'nothing without an account number',
    { currency: 'GBP', deposit_instructions: { account_holder_name: 'Ada', sort_code: '12-34-56' } },
    null,
  ],
  [
    'nothing without a BIC',
    { currency: 'EUR', deposit_instructions: { account_holder_name: 'Ada', iban: european.iban } },
    null,
  ],
  [
    'nothing without an IBAN',
    { currency: 'EUR', deposit_instructions: { account_holder_name: 'Ada', bic: european.bic } },
    null,
  ],
])('the deposit instructions of an account are %s', (_what, fields, instructions) => {
  expect(accountFrom(account(fields)).depositInstructions).toEqual(instructions);
});

describe('a transfer', () => {
  const transfer: Wire['InternalTransfer'] = {
    uuid,
    origin_id: 'a-handle',
    quote_uuid: thirdUuid,
    status: 'COMPLETED',
    source_account_uuid: otherUuid,
    destination_account_uuid: thirdUuid,
    source_amount: '16.53',
    destination_amount: '18.180500',
    rate: '1.1',
    failure_reason: null,
    updated_at: time,
  };
  const snapshot = {
    kind: 'transfer',
    ...identity,
    status: 'completed',
    sourceAccountRef: otherUuid.toLowerCase(),
    destinationAccountRef: thirdUuid.toLowerCase(),
    sourceAmountMinor: 1_653,
    destinationAmountMinor: 18_180_500,
    sourcePlaces: 2,
    destinationPlaces: 6,
    rate: '1.10000000',
    failureReason: null,
  };

  test('a transfer names no currency, so its amounts are read by their decimal places', () => {
    expect(transferFrom(transfer)).toEqual(snapshot);
  });

  test('the details of a transfer include the quote that it used', () => {
    expect(transferDetailsFrom(transfer)).toEqual({ snapshot, quoteRef: thirdUuid.toLowerCase() });
  });

  test.each(['16.5', '16.530', '1.1234567', 'x.123456', '1.123456 '])(
    'a transfer with the amount %j is refused',
    (amount) => {
      expect(() => transferFrom({ ...transfer, source_amount: amount })).toThrow(RangeError);
    },
  );

  test('a failed transfer has the reason of its failure', () => {
    const failed = transferFrom({ ...transfer, status: 'FAILED', failure_reason: 'no\0 market' });
    expect(failed).toMatchObject({ status: 'failed', failureReason: 'no market' });
  });
});

describe('a payout', () => {
  const pix = { pix_key: 'ada@example.com', pix_key_type: 'email', recipient_name: 'Ada' } as const;
  const payout: Wire['Payout'] = {
    uuid,
    origin_id: 'a-handle',
    attempt: 2,
    status: 'COMPLETED',
    source_account_uuid: otherUuid,
    amount: '100.00',
    currency: 'BRL',
    rail: 'PIX',
    destination: pix,
    end_to_end_id: 'E1',
    voucher_id: null,
    failure_reason: null,
    updated_at: time,
  };
  const snapshot = {
    kind: 'payout',
    ...identity,
    status: 'completed',
    attempt: 2,
    sourceAccountRef: otherUuid.toLowerCase(),
    destination: { rail: 'PIX', pixKey: 'ada@example.com', pixKeyType: 'email', recipientName: 'Ada' },
    amountMinor: 10_000,
    currency: 'BRL',
    endToEndId: 'E1',
    voucherId: null,
    failureReason: null,
    payoutFailure: null,
    refunds: [],
  };

  test('a payout by PIX has a key and a recipient', () => {
    expect(payoutFrom(payout)).toEqual(snapshot);
    expect(payoutDetailsFrom(payout)).toEqual({ snapshot });
  });

  test.each([
    ['recipient_unknown', 'recipient_unknown'],
    ['limit_reached', 'limit_reached'],
    ['account_blocked', 'account_blocked'],
    ['name_mismatch', 'name_mismatch'],
    ['recipient_bank_unavailable', 'recipient_bank_unavailable'],
    ['code_expired', 'code_expired'],
    ['other', 'other'],
    ['fell_asleep', 'other'],
    ['', 'other'],
  ])('the failure code %s of a payout is mapped to %s', (failure_code, code) => {
    expect(payoutFrom({ ...payout, failure_code })).toEqual({
      ...snapshot,
      payoutFailure: { code, limit: null, retryFrom: null },
    });
  });

  test.each([{}, { failure_code: null }, { failure_limit: 'night', retry_from: time }])(
    'a payout with %j has no known reason',
    (more) => {
      expect(payoutFrom({ ...payout, ...more })).toEqual(snapshot);
    },
  );

  const DAY_MS = 24 * 60 * 60_000;
  const inDays = (days: number): string => new Date(new Date(time).getTime() + days * DAY_MS).toISOString();

  test.each([
    ['per_payment', null, 'per_payment', null],
    ['per_payment', inDays(1), 'per_payment', null],
    ['day', inDays(1), 'day', inDays(1)],
    ['night', inDays(31), 'night', inDays(31)],
    ['night', inDays(31.1), 'night', null],
    ['night', inDays(-31.1), 'night', null],
    ['night', 'in the morning', 'night', null],
    ['night', '', 'night', null],
    ['week', inDays(1), null, inDays(1)],
    [null, undefined, null, null],
    [undefined, null, null, null],
  ])(
    'a payout that has reached the limit %s until %s has reached the limit %s until %s',
    (failure_limit, retry_from, limit, retryFrom) => {
      const said = { failure_limit, retry_from } as object;
      const { payoutFailure } = payoutFrom({ ...payout, failure_code: 'limit_reached', ...said });
      expect(payoutFailure).toEqual({
        code: 'limit_reached',
        limit,
        retryFrom: retryFrom && new Date(retryFrom),
      });
    },
  );

  test('only a limit has a name and a time', () => {
    const said = { failure_code: 'account_blocked', failure_limit: 'night', retry_from: time };
    expect(payoutFrom({ ...payout, ...said }).payoutFailure).toEqual({
      code: 'account_blocked',
      limit: null,
      retryFrom: null,
    });
  });

  test.each([
    ['PENDING', 'pending'],
    ['COMPLETED', 'completed'],
    ['FAILED', 'failed'],
    ['ERROR', 'failed'],
    ['REFUNDED', 'refunded'],
  ] as const)('a payout of status %s is %s', (status, expected) => {
    expect(payoutFrom({ ...payout, status }).status).toBe(expected);
  });

  test('a payout by FPS has an account number and a sort code, and one by SEPA an IBAN and a BIC', () => {
    expect(payoutFrom({ ...payout, rail: 'FPS', destination: british }).destination).toEqual({
      rail: 'FPS',
      details: { currency: 'GBP', accountHolderName: 'Ada', accountNumber: '12345678', sortCode: '12-34-56' },
    });
    expect(payoutFrom({ ...payout, rail: 'SEPA', destination: european }).destination).toEqual({
      rail: 'SEPA',
      details: {
        currency: 'EUR',
        accountHolderName: 'Ada',
        iban: 'DE89370400440532013000',
        bic: 'COBADEFFXXX',
      },
    });
  });

  test.each([
    ['PIX', british],
    ['PIX', european],
    ['FPS', pix],
    ['FPS', european],
    ['SEPA', pix],
    ['SEPA', british],
  ] as const)('a payout by %s to a destination of another rail is refused', (rail, destination) => {
    expect(() => payoutFrom({ ...payout, rail, destination })).toThrow(RangeError);
  });
});

test('a movement has its direction, its purpose and its amount', () => {
  const movement: Wire['Movement'] = {
    uuid: 'a-movement',
    account_uuid: 'an-account',
    direction: 'CREDIT',
    kind: 'PAYOUT_REFUND',
    amount: '0.000001',
    currency: 'USDC',
    source_reference: 'rent\0',
    created_at: time,
  };
  expect(movementFrom(movement)).toEqual({
    kind: 'movement',
    providerRef: 'a-movement',
    accountRef: 'an-account',
    direction: 'credit',
    purpose: 'payout_refund',
    amountMinor: 1,
    currency: 'USDC',
    sourceReference: 'rent',
    createdAt: new Date(time),
  });
});

test('a quote has each amount in its own currency, and the subsidy in the source currency', () => {
  const quote: Wire['Quote'] = {
    uuid: 'a-quote',
    source_currency: 'USDC',
    source_amount: '18.000000',
    destination_currency: 'BRL',
    destination_amount: '100.00',
    rate: '5.55555556',
    markup_bps: 7,
    subsidy_amount: '0.250000',
    expires_at: time,
  };
  expect(quoteFrom(quote)).toEqual({
    providerRef: 'a-quote',
    sourceCurrency: 'USDC',
    destinationCurrency: 'BRL',
    markupBps: 7,
    subsidyMinor: 250_000,
    sourceAmountMinor: 18_000_000,
    destinationAmountMinor: 10_000,
    rate: '5.55555556',
    expiresAt: new Date(time),
  });
});

test('bank details are written with the fields of their country', () => {
  expect(
    bankFields({
      currency: 'GBP',
      accountHolderName: 'Ada',
      accountNumber: '12345678',
      sortCode: '12-34-56',
    }),
  ).toEqual(british);
  expect(
    bankFields({
      currency: 'EUR',
      accountHolderName: 'Ada',
      iban: 'DE89370400440532013000',
      bic: 'COBADEFFXXX',
    }),
  ).toEqual(european);
});

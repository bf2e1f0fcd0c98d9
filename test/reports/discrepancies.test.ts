// An event that a row's state does not allow is harmless if the row has just taken the same event. Otherwise it is a discrepancy.
import { expect, test } from 'vitest';
import { kycMachine } from '../../machines/kyc.machine.ts';
import { type PixPaymentEvent, pixPaymentMachine } from '../../machines/pix-payment.machine.ts';
import { providerAccountMachine } from '../../machines/provider-account.machine.ts';
import { begin, step } from '../../machines/step.ts';
import { withdrawMachine } from '../../machines/withdraw.machine.ts';
import { conversionDiscrepancies, isDuplicate, resourceNamedBy } from '../../src/reports/discrepancies.ts';
import type { Entity } from '../../src/tables/rows.ts';

type Verdict = 'taken' | 'harmless' | 'discrepancy';
type Event = { type: string; amountMinor?: number; currency?: string };

const converted = (leg: 'direct' | 'leg1' | 'leg2' | 'reverse', destinationAmountMinor: number) =>
  ({ type: `${leg}.completed`, sourceAmountMinor: 4_300, destinationAmountMinor }) as const;
const failed = (leg: 'direct' | 'leg1' | 'leg2' | 'reverse') =>
  ({ type: `${leg}.failed`, reason: 'conversion_failed' }) as const;
const BRL = 25_000;
const direct = converted('direct', BRL);
const leg1 = converted('leg1', 45_000_000);
const leg2 = converted('leg2', BRL);
const reverse = converted('reverse', 4_300);
const reais = { amountMinor: BRL, currency: 'BRL' } as const;
const paid = (amountMinor = BRL, endToEndId = 'E1') =>
  ({ type: 'off-ramp.completed', ...reais, amountMinor, endToEndId, voucherId: 'V1' }) as const;
const unpaid = (attempt: number) =>
  ({ type: 'off-ramp.failed', reason: 'payout_failed', attempt, attempted: true, ...reais }) as const;
const notMade = (attempt: number) =>
  ({ type: 'off-ramp.failed', reason: 'payout_failed', attempt, attempted: false }) as const;
const returned = { type: 'off-ramp.refunded', ...reais } as const;
const retry = { type: 'retry' } as const;
/** A conversion that failed here because the provider refused to begin it. The provider's own report gives another reason. */
const notBegun = { type: 'direct.failed', reason: 'insufficient_funds' } as const;

const payments: [string, PixPaymentEvent[], PixPaymentEvent, Verdict][] = [
  ['a repeated conversion', [direct], direct, 'harmless'],
  ['a conversion that is repeated much later', [direct, paid()], direct, 'harmless'],
  [
    'a conversion that is repeated with another amount',
    [direct],
    converted('direct', BRL - 1),
    'discrepancy',
  ],
  ['a failure of the completed conversion', [direct], failed('direct'), 'discrepancy'],
  [
    'a failure of the conversion after the merchant was paid',
    [direct, paid()],
    failed('direct'),
    'discrepancy',
  ],
  ['a repeated failure of the conversion', [notBegun], failed('direct'), 'harmless'],
  ['a completion of the failed conversion', [notBegun], direct, 'discrepancy'],
  ['a repeated wrong amount', [converted('direct', 1)], converted('direct', 1), 'harmless'],
  ['a correction of a wrong amount', [converted('direct', 1)], direct, 'discrepancy'],

  ['a repeated leg 1 during leg 2', [leg1], leg1, 'harmless'],
  ['a leg 1 that is repeated with another amount', [leg1], converted('leg1', 44_000_000), 'discrepancy'],
  ['a failure of the completed leg 1', [leg1], failed('leg1'), 'discrepancy'],
  ['a repeated failure of leg 2 during the reverse leg', [leg1, failed('leg2')], failed('leg2'), 'harmless'],
  [
    'a repeated failure of leg 2 after the refund',
    [leg1, failed('leg2'), reverse],
    failed('leg2'),
    'harmless',
  ],
  ['a completion of leg 2 during the reverse leg', [leg1, failed('leg2')], leg2, 'taken'],
  ['a completion of leg 2 after the refund', [leg1, failed('leg2'), reverse], leg2, 'discrepancy'],
  [
    'a completion of the reverse leg after leg 2 completed',
    [leg1, failed('leg2'), leg2],
    reverse,
    'discrepancy',
  ],
  ['a repeated reverse leg', [leg1, failed('leg2'), reverse], reverse, 'harmless'],
  [
    'a failure of the completed reverse leg',
    [leg1, failed('leg2'), reverse],
    failed('reverse'),
    'discrepancy',
  ],
  [
    'a repeated failure of the reverse leg',
    [leg1, failed('leg2'), failed('reverse')],
    failed('reverse'),
    'harmless',
  ],
  [
    'a completion of the failed reverse leg',
    [leg1, failed('leg2'), failed('reverse')],
    reverse,
    'discrepancy',
  ],

  ['a repeated payout', [direct, paid()], paid(), 'harmless'],
  ['a payout that is repeated with another receipt', [direct, paid()], paid(BRL, 'E2'), 'harmless'],
  ['a first payout of another amount', [direct], paid(BRL - 1), 'discrepancy'],
  ['a payout that is repeated with another amount', [direct, paid()], paid(BRL - 1), 'discrepancy'],
  ['a failure of the completed payout', [direct, paid()], unpaid(1), 'discrepancy'],
  ['a return of the completed payout', [direct, paid()], returned, 'taken'],
  ['a repeated return', [direct, paid(), returned], returned, 'harmless'],
  ['a completion of the returned payout', [direct, paid(), returned], paid(), 'discrepancy'],
  ['a repeated failure of an attempt', [direct, unpaid(1)], unpaid(1), 'harmless'],
  [
    'a repeated failure of an attempt for another reason',
    [direct, unpaid(1)],
    { ...unpaid(1), payoutFailure: { code: 'account_blocked', limit: null, retryFrom: null } },
    'harmless',
  ],
  [
    'a repeated failure of an attempt while the next one is in progress',
    [direct, unpaid(1), retry],
    unpaid(1),
    'harmless',
  ],
  [
    'a repeated failure of an attempt after the next one has paid',
    [direct, unpaid(1), retry, paid()],
    unpaid(1),
    'discrepancy',
  ],
  ['a completion of the failed attempt', [direct, unpaid(1)], paid(), 'taken'],
  ['a failure of an attempt that was not made here', [direct, unpaid(1)], unpaid(2), 'discrepancy'],
  ['a failure of an attempt that was refused here', [direct, notMade(1)], unpaid(1), 'discrepancy'],
  [
    'a repeated failure of the attempt before the refused one',
    [direct, unpaid(1), retry, notMade(2)],
    unpaid(1),
    'harmless',
  ],
];

test.each(payments)('a payment gives the expected verdict on %s', (_what, history, event, verdict) => {
  const flow = history.some(({ type }) => type === 'leg1.completed') ? 'two_hop' : 'direct';
  const first = begin(pixPaymentMachine, { flow, quotedSourceMinor: 4_300, amountBrlMinor: BRL });
  expect(verdictOn(pixPaymentMachine, first, [{ type: 'confirmed' }, ...history], event)).toBe(verdict);
});

const pounds = { amountMinor: 1_000, currency: 'GBP' } as const;
const lost = { type: 'off-ramp.failed', reason: 'withdraw_failed', ...pounds } as const;
const arrived = { type: 'off-ramp.completed', ...pounds } as const;
const back = { type: 'off-ramp.refunded', ...pounds } as const;
const completed = (level: 'basic' | 'standard') => ({ type: 'kyc.completed', level }) as const;
const refused = (attempt: number) => ({ type: 'kyc.failed', attempt, failureCode: null }) as const;
const restarted = (attempt: number) => ({ type: 'kyc.restarted', attempt }) as const;
const activated = { type: 'account.activated' } as const;

const others: [string, 'withdraw' | 'kyc' | 'account', Event[], Event, Verdict][] = [
  ['a repeated completion of a withdrawal', 'withdraw', [arrived], arrived, 'harmless'],
  ['a failure of a completed withdrawal', 'withdraw', [arrived], lost, 'discrepancy'],
  ['a completion of a failed withdrawal', 'withdraw', [lost], arrived, 'discrepancy'],
  ['a return of a failed withdrawal', 'withdraw', [lost], back, 'discrepancy'],
  ['a completion of a returned withdrawal', 'withdraw', [arrived, back], arrived, 'discrepancy'],
  [
    'a withdrawal that completed with a smaller amount',
    'withdraw',
    [],
    { ...arrived, amountMinor: 900 },
    'discrepancy',
  ],
  [
    'a withdrawal that completed in another currency',
    'withdraw',
    [],
    { ...arrived, currency: 'EUR' },
    'discrepancy',
  ],
  [
    'a failure of a withdrawal of another amount',
    'withdraw',
    [],
    { ...lost, amountMinor: 900 },
    'discrepancy',
  ],
  ['a repeated completion of a verification', 'kyc', [completed('basic')], completed('basic'), 'harmless'],
  [
    'a completion of a verification at another level',
    'kyc',
    [completed('basic')],
    completed('standard'),
    'discrepancy',
  ],
  ['a refusal of a completed verification', 'kyc', [completed('basic')], refused(1), 'discrepancy'],
  ['a repeated refusal of a verification', 'kyc', [refused(1)], refused(1), 'harmless'],
  ['a refusal of a later attempt', 'kyc', [refused(1)], refused(2), 'taken'],
  ['an approval of a refused verification', 'kyc', [refused(1)], completed('basic'), 'taken'],
  ['a repeated restart', 'kyc', [refused(1), restarted(2)], restarted(2), 'harmless'],
  ['a restart of a completed verification', 'kyc', [completed('basic')], restarted(2), 'discrepancy'],
  ['a repeated activation of an account', 'account', [activated], activated, 'harmless'],
];

const machines = { withdraw: withdrawMachine, kyc: kycMachine, account: providerAccountMachine };

test.each(others)('a row gives the expected verdict on %s', (_what, kind, history, event, verdict) => {
  const machine = machines[kind] as typeof withdrawMachine;
  expect(verdictOn(machine, begin(machine, pounds), history, event)).toBe(verdict);
});

test.each([
  [1, true],
  [2, false],
])(
  'a refusal that version 0.2.0 stored without an attempt is repeated by one of attempt %i: %s',
  (attempt, isRepeated) => {
    expect(isDuplicate({ event: 'kyc.failed', eventData: {} }, refused(attempt))).toBe(isRepeated);
  },
);

/** The verdict on `event` after a row has taken all of `history`. */
function verdictOn(
  machine: Parameters<typeof step>[0],
  first: { state: string; context: unknown },
  history: Event[],
  event: Event,
): Verdict {
  let row = first;
  for (const earlier of history) {
    const next = step(machine, row.state, row.context as never, earlier as never);
    if (next === null) throw new Error(`${row.state} does not take ${earlier.type}`);
    row = next;
  }
  if (step(machine, row.state, row.context as never, event as never) !== null) return 'taken';
  const last = history.findLast((earlier) => resourceNamedBy(earlier) === resourceNamedBy(event));
  const taken = last && { event: last.type, eventData: last };
  return isDuplicate(taken, event) ? 'harmless' : 'discrepancy';
}

test.each([
  [BRL, []],
  [BRL + 1, [{ kind: 'debit_differs', event: { expectedSourceMinor: BRL } }]],
])('a return that took %i centavos has the expected discrepancies', (sourceAmountMinor, expected) => {
  const row = { state: 'refunding', amountBrlMinor: BRL } as Entity<'PixPayment'>;
  const event = { type: 'return.completed', sourceAmountMinor, destinationAmountMinor: 4_300 } as const;
  const snapshot = { providerRef: 'a return', updatedAt: new Date(0) };
  expect(conversionDiscrepancies(row, event, snapshot)).toMatchObject(expected);
});

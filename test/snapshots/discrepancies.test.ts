// An event that a row's state does not allow: harmless when the row has taken just that before, a discrepancy otherwise.
import { describe, expect, it } from 'vitest';
import { kycMachine } from '../../machines/kyc.machine.ts';
import { type PixPaymentEvent, pixPaymentMachine } from '../../machines/pix-payment.machine.ts';
import { providerAccountMachine } from '../../machines/provider-account.machine.ts';
import { begin, step } from '../../machines/step.ts';
import { withdrawMachine } from '../../machines/withdraw.machine.ts';
import { isDuplicate, resourceNamedBy } from '../../src/snapshots/discrepancies.ts';

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
/** Failed here, because the provider would not begin it: its own words come with another reason. */
const notBegun = { type: 'direct.failed', reason: 'insufficient_funds' } as const;

const payments: [string, PixPaymentEvent[], PixPaymentEvent, Verdict][] = [
  ['the conversion again', [direct], direct, 'harmless'],
  ['the conversion again, much later', [direct, paid()], direct, 'harmless'],
  ['the conversion with another amount', [direct], converted('direct', BRL - 1), 'discrepancy'],
  ['the conversion has failed after all', [direct], failed('direct'), 'discrepancy'],
  [
    'the conversion has failed, though the merchant is paid',
    [direct, paid()],
    failed('direct'),
    'discrepancy',
  ],
  ['the failed conversion has failed', [notBegun], failed('direct'), 'harmless'],
  ['the failed conversion has gone through', [notBegun], direct, 'discrepancy'],
  ['a wrong amount again', [converted('direct', 1)], converted('direct', 1), 'harmless'],
  ['a wrong amount put right', [converted('direct', 1)], direct, 'discrepancy'],

  ['the first conversion again, in the second', [leg1], leg1, 'harmless'],
  ['the first conversion with another amount', [leg1], converted('leg1', 44_000_000), 'discrepancy'],
  ['the first conversion has failed after all', [leg1], failed('leg1'), 'discrepancy'],
  ['the second conversion failed again, on the way back', [leg1, failed('leg2')], failed('leg2'), 'harmless'],
  [
    'the second conversion failed again, back home',
    [leg1, failed('leg2'), reverse],
    failed('leg2'),
    'harmless',
  ],
  ['the second conversion went through, on the way back', [leg1, failed('leg2')], leg2, 'taken'],
  ['the second conversion went through, back home', [leg1, failed('leg2'), reverse], leg2, 'discrepancy'],
  ['the way back went through, too', [leg1, failed('leg2'), leg2], reverse, 'discrepancy'],
  ['the way back again', [leg1, failed('leg2'), reverse], reverse, 'harmless'],
  ['the way back has failed after all', [leg1, failed('leg2'), reverse], failed('reverse'), 'discrepancy'],
  ['the way back failed again', [leg1, failed('leg2'), failed('reverse')], failed('reverse'), 'harmless'],
  ['the way back went through after all', [leg1, failed('leg2'), failed('reverse')], reverse, 'discrepancy'],

  ['paid again', [direct, paid()], paid(), 'harmless'],
  ['paid, with another receipt', [direct, paid()], paid(BRL, 'E2'), 'harmless'],
  ['paid for the first time, another amount', [direct], paid(BRL - 1), 'discrepancy'],
  ['paid, another amount', [direct, paid()], paid(BRL - 1), 'discrepancy'],
  ['paid has failed', [direct, paid()], unpaid(1), 'discrepancy'],
  ['paid is returned', [direct, paid()], returned, 'taken'],
  ['returned again', [direct, paid(), returned], returned, 'harmless'],
  ['returned is paid', [direct, paid(), returned], paid(), 'discrepancy'],
  ['the failed attempt again', [direct, unpaid(1)], unpaid(1), 'harmless'],
  ['the failed attempt, while the next is under way', [direct, unpaid(1), retry], unpaid(1), 'harmless'],
  [
    'the failed attempt, after the next has paid',
    [direct, unpaid(1), retry, paid()],
    unpaid(1),
    'discrepancy',
  ],
  ['the failed attempt went through', [direct, unpaid(1)], paid(), 'taken'],
  ['an attempt that nobody made here', [direct, unpaid(1)], unpaid(2), 'discrepancy'],
  ['an attempt that was refused was made', [direct, notMade(1)], unpaid(1), 'discrepancy'],
  ['the attempt before the refused one', [direct, unpaid(1), retry, notMade(2)], unpaid(1), 'harmless'],
];

describe('a payment is told:', () => {
  it.each(payments)('%s', (_what, history, event, verdict) => {
    const flow = history.some(({ type }) => type === 'leg1.completed') ? 'two_hop' : 'direct';
    const first = begin(pixPaymentMachine, { flow, quotedSourceMinor: 4_300, amountBrlMinor: BRL });
    expect(verdictOn(pixPaymentMachine, first, [{ type: 'confirmed' }, ...history], event)).toBe(verdict);
  });
});

const pounds = { amountMinor: 1_000, currency: 'GBP' } as const;
const lost = { type: 'off-ramp.failed', reason: 'withdraw_failed', ...pounds } as const;
const arrived = { type: 'off-ramp.completed', ...pounds } as const;
const back = { type: 'off-ramp.refunded', ...pounds } as const;
const completed = (level: 'basic' | 'standard') => ({ type: 'kyc.completed', level }) as const;
const refused = { type: 'kyc.failed' } as const;
const activated = { type: 'account.activated' } as const;

const others: [string, 'withdraw' | 'kyc' | 'account', Event[], Event, Verdict][] = [
  ['a withdrawal arrived again', 'withdraw', [arrived], arrived, 'harmless'],
  ['a withdrawal that arrived has failed', 'withdraw', [arrived], lost, 'discrepancy'],
  ['a withdrawal that failed has arrived', 'withdraw', [lost], arrived, 'discrepancy'],
  ['a withdrawal that failed is returned, too', 'withdraw', [lost], back, 'discrepancy'],
  ['a withdrawal that came back has arrived', 'withdraw', [arrived, back], arrived, 'discrepancy'],
  ['a withdrawal that arrived as less', 'withdraw', [], { ...arrived, amountMinor: 900 }, 'discrepancy'],
  ['a withdrawal that arrived in euros', 'withdraw', [], { ...arrived, currency: 'EUR' }, 'discrepancy'],
  ['a withdrawal of another amount failed', 'withdraw', [], { ...lost, amountMinor: 900 }, 'discrepancy'],
  ['a verification completed again', 'kyc', [completed('basic')], completed('basic'), 'harmless'],
  ['a verification at another level', 'kyc', [completed('basic')], completed('standard'), 'discrepancy'],
  ['a verification taken back', 'kyc', [completed('basic')], refused, 'discrepancy'],
  ['a verification refused again', 'kyc', [refused], refused, 'harmless'],
  ['a refused verification approved', 'kyc', [refused], completed('basic'), 'taken'],
  ['an account that is active', 'account', [activated], activated, 'harmless'],
];

const machines = { withdraw: withdrawMachine, kyc: kycMachine, account: providerAccountMachine };

it.each(others)('%s', (_what, kind, history, event, verdict) => {
  const machine = machines[kind] as typeof withdrawMachine;
  expect(verdictOn(machine, begin(machine, pounds), history, event)).toBe(verdict);
});

/** What becomes of `event` after `history`, all of which the row has taken. */
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

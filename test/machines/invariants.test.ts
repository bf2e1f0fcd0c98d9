// Breaks each rule of each state once. The tables and models of the machines show that no step breaks a rule.
import { describe, expect, test } from 'vitest';
import type { AnyStateMachine, ContextFrom } from 'xstate';
import { contestationInvariants } from '../../machines/contestation.invariants.ts';
import { contestationMachine } from '../../machines/contestation.machine.ts';
import { assertInvariants, InvariantBroken, type Invariants } from '../../machines/invariants.ts';
import { kycInvariants } from '../../machines/kyc.invariants.ts';
import { kycMachine } from '../../machines/kyc.machine.ts';
import type { LeafState } from '../../machines/leaf-state.ts';
import { payoutRefundInvariants } from '../../machines/payout-refund.invariants.ts';
import { payoutRefundMachine } from '../../machines/payout-refund.machine.ts';
import { pixPaymentInvariants } from '../../machines/pix-payment.invariants.ts';
import { type PixPaymentContext, pixPaymentMachine } from '../../machines/pix-payment.machine.ts';
import { providerAccountInvariants } from '../../machines/provider-account.invariants.ts';
import { providerAccountMachine } from '../../machines/provider-account.machine.ts';
import { begin } from '../../machines/step.ts';
import { withdrawInvariants } from '../../machines/withdraw.invariants.ts';
import { withdrawMachine } from '../../machines/withdraw.machine.ts';

/** For each state, a valid context and a change that breaks each of its rules. */
type Breaches<Machine extends AnyStateMachine> = {
  [State in LeafState<Machine>]: {
    sound: ContextFrom<Machine>;
    broken: [change: Partial<ContextFrom<Machine>>, rule: string][];
  };
};

function breaksEachRuleOf<Machine extends AnyStateMachine>(
  machine: Machine,
  invariants: Invariants<Machine>,
  breaches: Breaches<Machine>,
): void {
  const all = Object.keys(breaches) as LeafState<Machine>[];
  const rulesBroken = (state: LeafState<Machine>, context: ContextFrom<Machine>): string[] => {
    try {
      assertInvariants(machine, invariants, { state, context });
      return [];
    } catch (error) {
      if (!(error instanceof InvariantBroken)) throw error;
      expect(error.message).toContain(`${machine.id} in ${state}`);
      expect(error.state).toBe(state);
      return error.rules;
    }
  };

  describe.each(all)(`${machine.id} in %s`, (state) => {
    const { sound, broken } = breaches[state];

    test('a valid context breaks no rule except one that always fails', () => {
      const always = broken.filter(([change]) => Object.keys(change).length === 0);
      expect(rulesBroken(state, sound)).toEqual(always.map(([, rule]) => rule));
    });

    test.each(broken)('a context with %j breaks the rule: %s', (change, rule) => {
      expect(rulesBroken(state, { ...(sound as object), ...change } as ContextFrom<Machine>)).toContain(rule);
    });

    test('every rule of the state has a context that breaks it', () => {
      const rules = new Set(broken.map(([, rule]) => rule));
      expect(rules).toEqual(new Set(invariants[state].map(({ says }) => says)));
    });
  });
}

const quoted = begin(pixPaymentMachine, {
  flow: 'direct',
  quotedSourceMinor: 4_300,
  amountBrlMinor: 25_000,
}).context;
const twoHop: PixPaymentContext = { ...quoted, flow: 'two_hop' };
const delivered: PixPaymentContext = { ...twoHop, homeDebitMinor: 4_300, usdcDeliveredMinor: 45_000_000 };
const paid: PixPaymentContext = { ...delivered, usdcResidualMinor: 400_000, payoutAttempt: 1 };

const unknown = 'it is known what leg 1 took and delivered';
const unaccounted = 'of two conversions it is known what they took, delivered and left over';
const taken = 'leg 1 has taken and delivered nothing';
const paidOut = 'no payout has been attempted';
const failed = 'nothing has failed';
const unexplained = 'there is a reason to tell the user';
const notReversed = 'without a return, leg 1 is reversed and no payout was attempted';
const noDebit = 'it is known what the home account was debited';
const noBrl = 'a return follows a conversion that delivered the BRL';
const noLeftover = 'it is known how much USDC or BRL is left over';
const attempted = { payoutAttempt: 1 };
const withFailure = { failure: 'under_review' } as const;
const waiting = 'no payout waits for a retry';
const withPayoutFailure = { payoutFailure: { code: 'other', limit: null, retryFrom: null } } as const;

breaksEachRuleOf(pixPaymentMachine, pixPaymentInvariants, {
  quoted: {
    sound: quoted,
    broken: [
      [{ homeDebitMinor: 1 }, taken],
      [{ usdcDeliveredMinor: 1 }, taken],
      [attempted, paidOut],
      [withFailure, failed],
      [withPayoutFailure, failed],
    ],
  },
  'converting.direct': {
    sound: quoted,
    broken: [
      [{ flow: 'two_hop' }, 'there is one conversion'],
      [attempted, paidOut],
      [withFailure, failed],
      [withPayoutFailure, failed],
    ],
  },
  'converting.leg1': {
    sound: twoHop,
    broken: [
      [{ flow: 'direct' }, 'there are two conversions'],
      [{ homeDebitMinor: 1 }, taken],
      [attempted, paidOut],
      [withFailure, failed],
      [withPayoutFailure, failed],
    ],
  },
  'converting.leg2': {
    sound: delivered,
    broken: [
      [{ flow: 'direct' }, 'there are two conversions'],
      [{ usdcDeliveredMinor: null }, unknown],
      [{ homeDebitMinor: null }, unknown],
      [{ homeDebitMinor: 4_301 }, 'leg 1 took no more than was quoted'],
      [attempted, paidOut],
      [withFailure, failed],
      [withPayoutFailure, failed],
    ],
  },
  paying: {
    sound: paid,
    broken: [
      [{ payoutAttempt: 0 }, 'the attempt is 1 or a later one'],
      [{ usdcResidualMinor: null }, unaccounted],
      [withFailure, failed],
      [withPayoutFailure, failed],
    ],
  },
  completed: {
    sound: { ...paid, payoutAttempt: 0 },
    broken: [
      [{ homeDebitMinor: null }, unaccounted],
      [withFailure, failed],
      [withPayoutFailure, failed],
    ],
  },
  payout_failed: {
    sound: { ...paid, failure: 'payout_failed' },
    broken: [
      [{ usdcDeliveredMinor: null }, unaccounted],
      [{ failure: null }, unexplained],
    ],
  },
  refunding: {
    sound: delivered,
    broken: [
      [{ flow: 'direct' }, notReversed],
      [{ usdcDeliveredMinor: null }, notReversed],
      [attempted, notReversed],
      [{ homeDebitMinor: null }, noDebit],
      [{ returnCapBps: 100 }, noBrl],
      [withPayoutFailure, waiting],
    ],
  },
  refunded: {
    sound: { ...delivered, usdcResidualMinor: 0, failure: 'refunded' },
    broken: [
      [{ flow: 'direct' }, notReversed],
      [attempted, notReversed],
      [{ homeDebitMinor: null }, noDebit],
      [{ usdcResidualMinor: null }, noLeftover],
      [{ returnCapBps: 100 }, noLeftover],
      [{ returnCapBps: 100, brlResidualMinor: 0, usdcResidualMinor: null }, noBrl],
      [{ failure: null }, unexplained],
      [withPayoutFailure, waiting],
    ],
  },
  manual_review: {
    sound: { ...quoted, ...withFailure },
    broken: [
      [{ failure: null }, unexplained],
      [withPayoutFailure, waiting],
    ],
  },
  failed: {
    sound: { ...twoHop, failure: 'conversion_failed' },
    broken: [
      [{ homeDebitMinor: 1 }, taken],
      [attempted, paidOut],
      [{ failure: null }, unexplained],
      [withPayoutFailure, waiting],
    ],
  },
  conversion_failed: { sound: quoted, broken: [[{}, 'nothing leads here']] },
});

const settling = begin(withdrawMachine, { amountMinor: 1_000, currency: 'GBP' }).context;

breaksEachRuleOf(withdrawMachine, withdrawInvariants, {
  settling: { sound: settling, broken: [[{ failure: 'withdraw_failed' }, failed]] },
  completed: { sound: settling, broken: [[{ failure: 'withdraw_failed' }, failed]] },
  failed: { sound: { ...settling, failure: 'withdraw_failed' }, broken: [[{ failure: null }, unexplained]] },
});

const hasLevel = 'the user is verified to no level';
const hasFailure = 'the reason of an earlier failure is gone';
const unverified = { level: null, attempt: 2, failureCode: null };
breaksEachRuleOf(kycMachine, kycInvariants, {
  pending: {
    sound: unverified,
    broken: [
      [{ level: 'basic' }, hasLevel],
      [{ failureCode: 'other' }, hasFailure],
    ],
  },
  completed: {
    sound: { ...unverified, level: 'basic' },
    broken: [
      [{ level: null }, 'it is known to which level the user was verified'],
      [{ failureCode: 'other' }, hasFailure],
    ],
  },
  failed: { sound: { ...unverified, failureCode: 'other' }, broken: [[{ level: 'basic' }, hasLevel]] },
});

const resolved = { resolvedAt: new Date('2026-03-17T14:03:12.000Z') };
const isDecided = 'the provider has not decided';
breaksEachRuleOf(contestationMachine, contestationInvariants, {
  requested: { sound: { resolvedAt: null }, broken: [[resolved, isDecided]] },
  open: { sound: { resolvedAt: null }, broken: [[resolved, isDecided]] },
  accepted: { sound: resolved, broken: [] },
  rejected: { sound: resolved, broken: [] },
  refused: { sound: { resolvedAt: null }, broken: [[resolved, isDecided]] },
});

const isCredited = 'nothing was credited to the home account';
const isUnasked = 'the conversion is the first one or a later one';
const cameBack = { amountBrlMinor: 7_500, attempt: 0, homeCreditMinor: null };
const converted = { homeCreditMinor: 1_040 };
breaksEachRuleOf(payoutRefundMachine, payoutRefundInvariants, {
  waiting: { sound: cameBack, broken: [[converted, isCredited]] },
  converting: {
    sound: { ...cameBack, attempt: 1 },
    broken: [
      [converted, isCredited],
      [{ attempt: 0 }, isUnasked],
    ],
  },
  converted: {
    sound: { ...cameBack, ...converted, attempt: 1 },
    broken: [
      [{ homeCreditMinor: null }, 'it is known what the home account was credited'],
      [{ attempt: 0 }, isUnasked],
    ],
  },
  returned_whole: { sound: cameBack, broken: [[converted, isCredited]] },
});

test('an error names every rule that is broken', () => {
  const context = { ...quoted, payoutAttempt: 1, failure: 'refunded' } as const;
  const check = () =>
    assertInvariants(pixPaymentMachine, pixPaymentInvariants, { state: 'converting.direct', context });
  expect(check).toThrow(
    expect.objectContaining({
      name: 'InvariantBroken',
      message:
        'pixPayment in converting.direct breaks a rule of that state: no payout has been attempted; nothing has failed',
    }),
  );
});

test.each(['provisioning', 'active'] as const)(
  'an account of the provider in %s has no rule to break',
  (state) => {
    expect(() =>
      assertInvariants(providerAccountMachine, providerAccountInvariants, { state, context: {} }),
    ).not.toThrow();
  },
);

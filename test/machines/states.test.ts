// Checks at run time that the machines' states are those of the contract as it is served and validated.
import { expect, test } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { arrowsOf, statesOf } from '../../machines/arrows.ts';
import { kycMachine } from '../../machines/kyc.machine.ts';
import { type MachineName, machines } from '../../machines/machines.ts';
import { pixPaymentMachine } from '../../machines/pix-payment.machine.ts';
import { providerAccountMachine } from '../../machines/provider-account.machine.ts';
import {
  awaitsUser,
  fundsReserved,
  hasEnded,
  needsSupport,
  states,
  unfinished,
} from '../../machines/states.ts';
import { withdrawMachine } from '../../machines/withdraw.machine.ts';
import contract from '../../openapi/generated/openapi.json' with { type: 'json' };
import wire from '../../openapi/generated/provider.json' with { type: 'json' };
import { paymentStatuses } from '../../ops/views/payments.ts';
import { transactionStatuses } from '../../src/lifecycle/pix-payment.ts';

const { PixPaymentStatus, KycStatus, TransactionStatus } = contract.components.schemas;
const statusesOf = (machine: AnyStateMachine) => statesOf(machine).map(({ name }) => name);

test.each([
  ['a PIX payment', pixPaymentMachine, PixPaymentStatus.enum],
  ['a verification', kycMachine, KycStatus.enum],
  ['a withdrawal', withdrawMachine, TransactionStatus.enum.filter((status) => status !== 'pending')],
  [
    'an account at the provider',
    providerAccountMachine,
    wire.components.schemas.AccountStatus.enum.map((status) => status.toLowerCase()),
  ],
])('%s has the states that the contract shows', (_, machine, statuses) => {
  expect(new Set(statusesOf(machine))).toEqual(new Set(statuses));
});

test('every state of a payment has a status of its transaction', () => {
  expect(new Set(Object.keys(transactionStatuses))).toEqual(new Set(statusesOf(pixPaymentMachine)));
  const shown = new Set([...Object.values(transactionStatuses), ...statusesOf(withdrawMachine)]);
  expect(shown).toEqual(new Set(TransactionStatus.enum));
});

test('operators can list the payments of every status', () => {
  expect(new Set(paymentStatuses)).toEqual(new Set(PixPaymentStatus.enum));
});

const none = {
  kyc: [],
  provider_account: [],
  pix_payment: [],
  withdraw: [],
  contestation: [],
  payout_refund: [],
};

const names = Object.keys(machines) as MachineName[];

/** The states of each machine that an event can still change, except for a return by the bank. */
const changing = Object.fromEntries(
  names.map((name) => {
    const taken = arrowsOf(machines[name]).filter(({ event }) => event !== 'off-ramp.refunded');
    return [name, states[name].filter((state) => taken.some(({ from }) => from === state))];
  }),
);

test('every state that can still change is unfinished, except for a return by the bank', () => {
  expect(changing['withdraw']).toContain('settling');
  expect(unfinished).toEqual(changing);
});

test('money is reserved until it is known whether the first conversion or the withdrawal was debited', () => {
  expect(fundsReserved).toEqual({
    ...none,
    pix_payment: ['converting.direct', 'converting.leg1'],
    withdraw: ['settling'],
  });
});

test('a failed payout awaits its user, and a review or a partial return an operator', () => {
  expect(awaitsUser).toEqual({ ...none, pix_payment: ['payout_failed'] });
  expect(needsSupport).toEqual({ ...none, pix_payment: ['manual_review'], payout_refund: ['waiting'] });
});

test.each([
  ['pix_payment', 'paying', false],
  ['pix_payment', 'payout_failed', false],
  ['pix_payment', 'completed', true],
  ['pix_payment', 'manual_review', true],
  ['withdraw', 'settling', false],
  ['withdraw', 'failed', true],
] as const)('the function hasEnded says whether a %s in %s has ended: %j', (name, state, isEnd) => {
  expect(hasEnded(name, state)).toBe(isEnd);
});

test('only a return leaves a state that is not unfinished', () => {
  const left = names.flatMap((name) =>
    arrowsOf(machines[name]).filter(
      ({ from }) =>
        (states[name] as readonly string[]).includes(from) &&
        !(unfinished[name] as readonly string[]).includes(from),
    ),
  );
  expect(new Set(left.map(({ event }) => event))).toEqual(new Set(['off-ramp.refunded']));
});

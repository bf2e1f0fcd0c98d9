// The same at run time: the machines' states against the contract as it is served and validated.
import { expect, test } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { statesOf } from '../../machines/arrows.ts';
import { kycMachine } from '../../machines/kyc.machine.ts';
import { pixPaymentMachine } from '../../machines/pix-payment.machine.ts';
import { providerAccountMachine } from '../../machines/provider-account.machine.ts';
import { withdrawMachine } from '../../machines/withdraw.machine.ts';
import contract from '../../openapi/generated/openapi.json' with { type: 'json' };
import wire from '../../openapi/generated/provider.json' with { type: 'json' };
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

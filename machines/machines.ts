// Every machine, by the kind of row that it decides for.
import { kycMachine } from './kyc.machine.ts';
import type { LeafState } from './leaf-state.ts';
import { pixPaymentMachine } from './pix-payment.machine.ts';
import { providerAccountMachine } from './provider-account.machine.ts';
import { withdrawMachine } from './withdraw.machine.ts';

export const machines = {
  kyc: kycMachine,
  provider_account: providerAccountMachine,
  pix_payment: pixPaymentMachine,
  withdraw: withdrawMachine,
} as const;

export type MachineName = keyof typeof machines;

/** The states that rows of a kind can be in; of all kinds, where none is named. */
export type StateOf<Name extends MachineName = MachineName> = {
  [Each in Name]: LeafState<(typeof machines)[Each]>;
}[Name];

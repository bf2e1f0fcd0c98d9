// Maps each kind of row to the machine that decides for it.
import { contestationMachine } from './contestation.machine.ts';
import { kycMachine } from './kyc.machine.ts';
import type { LeafState } from './leaf-state.ts';
import { payoutRefundMachine } from './payout-refund.machine.ts';
import { pixPaymentMachine } from './pix-payment.machine.ts';
import { providerAccountMachine } from './provider-account.machine.ts';
import { withdrawMachine } from './withdraw.machine.ts';

export const machines = {
  kyc: kycMachine,
  provider_account: providerAccountMachine,
  pix_payment: pixPaymentMachine,
  withdraw: withdrawMachine,
  contestation: contestationMachine,
  payout_refund: payoutRefundMachine,
} as const;

export type MachineName = keyof typeof machines;

/** The states that rows of a kind can be in. Without a type argument, the states of all kinds. */
export type StateOf<Name extends MachineName = MachineName> = {
  [Each in Name]: LeafState<(typeof machines)[Each]>;
}[Name];

// The machines' states are the contract's, or this file does not compile. Nothing here runs.
import type { AnyStateMachine, SnapshotFrom } from 'xstate';
import type { kycMachine } from '../../machines/kyc.machine.ts';
import type { pixPaymentMachine } from '../../machines/pix-payment.machine.ts';
import type { providerAccountMachine } from '../../machines/provider-account.machine.ts';
import type { withdrawMachine } from '../../machines/withdraw.machine.ts';
import type {
  KycStatus,
  PixPaymentStatus,
  TransactionStatus,
  Withdraw,
} from '../../openapi/generated/openapi.ts';
import type { transactionStatuses } from '../../src/lifecycle/pix-payment.ts';
import type { AccountSnapshot, OwnerSnapshot } from '../../src/provider/port.ts';

type Equal<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : false) : false;
type Holds<Claim extends true> = Claim;

type Top<Value> = Value extends string ? Value : keyof Value & string;
type StatusOf<Machine extends AnyStateMachine> = Top<SnapshotFrom<Machine>['value']>;

/** What the customer's transaction shows of a payment, over all its states. */
type ShownOfPayment = (typeof transactionStatuses)[PixPaymentStatus];

export type Claims = [
  Holds<Equal<StatusOf<typeof pixPaymentMachine>, PixPaymentStatus>>,
  Holds<Equal<StatusOf<typeof kycMachine>, KycStatus>>,
  Holds<Equal<StatusOf<typeof kycMachine>, OwnerSnapshot['status']>>,
  Holds<Equal<StatusOf<typeof providerAccountMachine>, AccountSnapshot['status']>>,
  // A withdrawal and its transaction are one; between them, withdrawals and payments use every status there is.
  Holds<Equal<Withdraw['status'], TransactionStatus>>,
  Holds<Equal<StatusOf<typeof withdrawMachine>, Exclude<TransactionStatus, 'pending'>>>,
  Holds<Equal<StatusOf<typeof withdrawMachine> | ShownOfPayment, TransactionStatus>>,
];

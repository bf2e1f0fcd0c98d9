// This file compiles only if the machines' states are those of the contract. Nothing here runs.
import type { Selectable } from 'kysely';
import type { AnyStateMachine } from 'xstate';
import type { EffectType } from '../../machines/effects.ts';
import type { kycMachine } from '../../machines/kyc.machine.ts';
import type { LeafState, StatusOf as Shown } from '../../machines/leaf-state.ts';
import type { StateOf } from '../../machines/machines.ts';
import type { pixPaymentMachine } from '../../machines/pix-payment.machine.ts';
import type { providerAccountMachine } from '../../machines/provider-account.machine.ts';
import { step } from '../../machines/step.ts';
import type { withdrawMachine } from '../../machines/withdraw.machine.ts';
import type {
  KycStatus,
  PixPaymentStatus,
  TransactionStatus,
  Withdraw,
} from '../../openapi/generated/openapi.ts';
import type { FailureCode } from '../../src/domain/failure-reasons.ts';
import { advance } from '../../src/lifecycle/advance.ts';
import { pixPayment, type transactionStatuses } from '../../src/lifecycle/pix-payment.ts';
import { withdraw } from '../../src/lifecycle/withdraw.ts';
import type { AccountSnapshot, OwnerSnapshot } from '../../src/provider/port.ts';
import type { Tables } from '../../src/tables/entities.ts';
import type { Db } from '../../src/tables/orm.ts';
import type { Entity } from '../../src/tables/rows.ts';
import { byTable } from '../support/by-table.ts';

type Equal<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : false) : false;
type Holds<Claim extends true> = Claim;

type StatusOf<Machine extends AnyStateMachine> = Shown<LeafState<Machine>>;
type Row<Table extends keyof Tables> = Selectable<Tables[Table]>;

/** The statuses that the customer's transaction shows over all states of a payment. */
type ShownOfPayment = (typeof transactionStatuses)[PixPaymentStatus];

export type Claims = [
  Holds<Equal<StatusOf<typeof pixPaymentMachine>, PixPaymentStatus>>,
  Holds<Equal<StatusOf<typeof kycMachine>, KycStatus>>,
  Holds<Equal<StatusOf<typeof kycMachine>, OwnerSnapshot['status']>>,
  Holds<Equal<StatusOf<typeof providerAccountMachine>, AccountSnapshot['status']>>,
  // A withdrawal and its transaction are one row. Withdrawals and payments together use every status.
  Holds<Equal<Withdraw['status'], TransactionStatus>>,
  Holds<Equal<StatusOf<typeof withdrawMachine>, Exclude<TransactionStatus, 'pending'>>>,
  Holds<Equal<StatusOf<typeof withdrawMachine> | ShownOfPayment, TransactionStatus>>,
  // Rows are in leaf states, under the names that columns store.
  Holds<
    Equal<
      LeafState<typeof pixPaymentMachine>,
      Exclude<PixPaymentStatus, 'converting'> | 'converting.direct' | 'converting.leg1' | 'converting.leg2'
    >
  >,
  Holds<Equal<LeafState<AnyStateMachine>, string>>,
  Holds<Equal<Row<'pix_payments'>['state'], LeafState<typeof pixPaymentMachine>>>,
  Holds<Equal<Entity<'PixPayment'>['state'], LeafState<typeof pixPaymentMachine>>>,
  Holds<Equal<Row<'withdraws'>['state'], LeafState<typeof withdrawMachine>>>,
  Holds<Equal<Row<'kyc_verifications'>['state'], LeafState<typeof kycMachine>>>,
  Holds<Equal<Row<'provider_accounts'>['state'], LeafState<typeof providerAccountMachine>>>,
  Holds<Equal<Row<'transitions'>['to_state'], StateOf>>,
  Holds<Equal<Row<'transitions'>['from_state'], StateOf | null>>,
  Holds<Equal<Row<'pix_payments' | 'withdraws' | 'transactions'>['failure'], FailureCode | null>>,
  Holds<Equal<Row<'effects'>['type'], EffectType | 'validateBankDetails'>>,
];

/** Errors that the balance guard, a step, an advance and a history must reject at compile time. */
export async function wrongNames(db: Db, row: Entity<'PixPayment'>): Promise<void> {
  const context = pixPayment.contextOf(row);
  // @ts-expect-error There is no leg 9.
  const isConverting = row.state === 'converting.leg9';
  // @ts-expect-error Rows are in the children of `converting`.
  const isAnywhere = row.state === 'converting';
  // @ts-expect-error There is no leg 9.
  await byTable(db).selectFrom('pix_payments').select('id').where('state', '=', 'converting.leg9').execute();
  // @ts-expect-error A withdrawal settles and does not pay.
  await byTable(db).selectFrom('withdraws').where('state', 'in', ['settling', 'paying']).execute();
  // @ts-expect-error There is no leg 9.
  step(pixPayment.machine, 'converting.leg9', context, { type: 'retry' });
  // @ts-expect-error A withdrawal's row is not a payment's.
  await advance(db, withdraw, row, { type: 'off-ramp.completed' }, { kind: 'job', id: '' }, row.createdAt);
  // @ts-expect-error There is no leg 9, by the entity's name either.
  await db.selectFrom('PixPayment').select('id').where('state', '=', 'converting.leg9').execute();
  // @ts-expect-error The history knows the same states.
  await byTable(db).updateTable('transitions').set({ to_state: 'converting.leg9' }).execute();
  return void [isConverting, isAnywhere];
}

// A withdrawal's row and its machine. Its transaction has the same id and the same status.

import { withdrawInvariants } from '../../machines/withdraw.invariants.ts';
import { withdrawMachine } from '../../machines/withdraw.machine.ts';
import { handleFor } from '../domain/handles.ts';
import type { WithdrawRow } from '../entities/rows.ts';
import type { Lifecycle } from './lifecycle.ts';

export const withdraw: Lifecycle<typeof withdrawMachine, WithdrawRow> = {
  kind: 'withdraw',
  table: 'withdraws',
  machine: withdrawMachine,
  invariants: withdrawInvariants,
  contextOf: (row) => ({ amountMinor: row.amount_minor, currency: row.currency, failure: row.failure }),
  columnsOf: ({ failure }) => ({ failure }),
  resourceOf: ({ id }) => ({ handle: handleFor(id, 'withdraw'), kind: 'payout', leg: null }),
  project: async (tx, row, { status, context, now }) => {
    await tx
      .updateTable('transactions')
      .set({
        status,
        failure: context.failure,
        ...(status === 'completed' && { completed_at: now }),
      })
      .where('id', '=', row.id)
      .where('user_id', '=', row.user_id)
      .execute();
  },
};

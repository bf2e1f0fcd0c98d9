// The lifecycle of a withdrawal: its row and its machine. Its transaction has the same id and the same status.

import { withdrawInvariants } from '../../machines/withdraw.invariants.ts';
import { withdrawMachine } from '../../machines/withdraw.machine.ts';
import { handleFor } from '../domain/handles.ts';
import type { Entity } from '../tables/rows.ts';
import { updateTransaction } from '../tables/transactions/statements.ts';
import { type Lifecycle, secondsBetween } from './lifecycle.ts';

export const withdraw: Lifecycle<typeof withdrawMachine, Entity<'Withdraw'>> = {
  kind: 'withdraw',
  entity: 'Withdraw',
  machine: withdrawMachine,
  invariants: withdrawInvariants,
  contextOf: (row) => ({ amountMinor: row.amountMinor, currency: row.currency, failure: row.failure }),
  propertiesOf: ({ failure }) => ({ failure }),
  resourceOf: ({ id }) => ({ handle: handleFor(id, 'withdraw'), kind: 'payout', leg: null }),
  project: async (tx, row, { status, formerStatus, context, now }) => {
    if (status !== formerStatus && status !== 'settling')
      tx.handOff.reaches({
        lifecycle: 'withdraw',
        outcome: status,
        reason: context.failure,
        seconds: secondsBetween(row.createdAt, now),
      });
    await updateTransaction(tx, {
      id: row.id,
      userId: row.userId,
      status,
      failure: context.failure,
      completedAt: status === 'completed' ? now : null,
    });
  },
};

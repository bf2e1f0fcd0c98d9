// Movements: the account owner's view of the ledger. They are written once and never changed.

import type { SandboxContext } from '../context.ts';
import { customer, post } from '../ledger.ts';
import { writeAmount } from '../money.ts';
import { enqueueCallback } from '../outbox.ts';
import type { AccountRow, MovementRow } from '../store/rows.ts';
import { isoTime } from '../time.ts';
import type { Operation } from './handler.ts';
import { newUuid } from './new-uuid.ts';
import { idOf, ok, type Schemas } from './operation.ts';
import { pageOf, positionOf, rowsInWindow } from './pages.ts';
import { refuse } from './refusal.ts';
import { change, create, existing } from './resources.ts';

export const listMovements: Operation = (context, call) => {
  const { uuid } = existing(context, 'accounts', idOf(call));
  const { after, limit = 100 } = call.query;
  const cursor = 'select seq from movements where uuid = ? and account_uuid = ?';
  const position = positionOf(context, cursor, after, uuid);
  const sql = 'select * from movements where account_uuid = ? and seq > ? order by seq limit ?';
  return ok(pageOf(context.store.all<MovementRow>(sql, uuid, position, limit + 1), limit, present));
};

export const listCompanyMovements: Operation = (context, call) => {
  const rows = rowsInWindow<MovementRow>(context, call, { table: 'movements', time: 'created_at' });
  return ok(pageOf(rows, call.query.limit ?? 100, present));
};

export const getMovement: Operation = (context, call) => {
  const sql = 'select * from movements where uuid = ? and account_uuid = ?';
  const row = context.store.get<MovementRow>(sql, idOf(call, 'movement_uuid'), idOf(call));
  if (!row) throw refuse('not_found', 'no such movement');
  return ok(present(row));
};

/**
 * Moves money between a customer's account and one of the ledger's own, and sends the callback. `amount` is in minor units, and
 * positive into the customer's account.
 * @param cause the conversion or payout, or the text of a deposit.
 * @returns the movement's uuid, or null if nothing was moved.
 */
export function move(
  context: SandboxContext,
  row: AccountRow,
  kind: MovementRow['kind'],
  amount: number,
  other: string,
  cause: { origin_id: string | null; uuid?: string },
): string | null {
  const { currency } = row;
  if (amount === 0) return null;
  // The balance is part of the account, so the account also changes.
  change(context, 'accounts', row, {});
  post(context, kind, cause.origin_id ?? row.uuid, [
    { account: customer(row.uuid), currency, amount },
    { account: other, currency, amount: -amount },
  ]);
  const values = {
    uuid: newUuid(),
    account_uuid: row.uuid,
    direction: amount > 0 ? 'CREDIT' : 'DEBIT',
    kind,
    amount: Math.abs(amount),
    currency,
    source_reference: cause.origin_id,
    named_as: null,
    created_at: context.now(),
  } as const;
  const movement = create(context, 'movements', values, cause.uuid === undefined ? {} : { uuid: cause.uuid });
  const stamp = { ...row, updated_at: movement.created_at };
  enqueueCallback(context, 'movement.created', 'accounts', stamp, present(movement));
  return movement.uuid;
}

function present(row: Omit<MovementRow, 'seq'>): Schemas['Movement'] {
  return {
    uuid: row.uuid,
    account_uuid: row.account_uuid,
    direction: row.direction,
    kind: row.kind,
    amount: writeAmount(row.amount, row.currency),
    currency: row.currency,
    source_reference: row.named_as === null ? row.source_reference : row.named_as || null,
    created_at: isoTime(row.created_at),
  };
}

// Movements: the account owner's view of the ledger. They are written once and never changed.
import { changedAt } from '../faults/changes.ts';
import { shownTime } from '../faults/provider-clock.ts';
import { referenceTo } from '../faults/references.ts';
import { balance, customer, post } from '../ledger.ts';
import { writeAmount } from '../money.ts';
import { enqueueCallback } from '../outbox.ts';
import type { AccountRow, MovementRow } from '../store/rows.ts';
import { isoTime } from '../time.ts';
import type { World } from '../world.ts';
import { account } from './accounts.ts';
import { newUuid } from './new-uuid.ts';
import { type Call, idOf, type Operation, ok, type Schemas } from './operation.ts';
import { pageOf, positionOf } from './pages.ts';
import { refuse } from './refusal.ts';
import { rowsInWindow } from './windows.ts';

export const listMovements: Operation = (world, call) => {
  const { uuid } = account(world, idOf(call));
  const { after, limit = 100 } = call.query;
  const position = positionOf(
    world,
    'select seq from movements where uuid = ? and account_uuid = ?',
    after,
    uuid,
  );
  const sql = 'select * from movements where account_uuid = ? and seq > ? order by seq limit ?';
  const rows = world.store
    .all<MovementRow>(sql, uuid, position, limit + 1)
    .filter((row) => isShown(world, call, row));
  return ok(pageOf(rows, limit, () => true, present));
};

export const listCompanyMovements: Operation = (world, call) => {
  const { limit = 100 } = call.query;
  const rows = rowsInWindow<MovementRow>(world, call, { table: 'movements', time: 'created_at' });
  return ok(pageOf(rows, limit, (row) => isShown(world, call, row), present));
};

export const getMovement: Operation = (world, call) => {
  const sql = 'select * from movements where uuid = ? and account_uuid = ?';
  const row = world.store.get<MovementRow>(sql, idOf(call, 'movement_uuid'), idOf(call));
  if (!row || !isShown(world, call, row)) throw refuse('not_found', 'no such movement');
  return ok(present(row));
};

/** Movements never change, so a lagging read only misses the newest. */
function isShown(world: World, { past }: Call, { uuid, created_at, source_reference }: MovementRow): boolean {
  if (!past || created_at <= shownTime(world, past.at)) return true;
  past.missed.push({ uuid, originId: source_reference });
  return false;
}

/**
 * Moves money between a customer's account and one of the ledger's own, and sends the callback. `amount` is in minor units, and
 * positive into the customer's account.
 * @param causeUuid the uuid of the conversion or payout whose handle `reference` is.
 * @returns the movement's uuid, or null if nothing was moved.
 */
export function move(
  world: World,
  row: AccountRow,
  kind: MovementRow['kind'],
  amount: number,
  other: string,
  reference: string | null,
  causeUuid: string | null = null,
): string | null {
  const { currency } = row;
  // The amount of a wrong-amount fault can be zero.
  if (amount === 0) return null;
  // The balance is part of the account, so the account also changes.
  const stamp = changedAt(world, row, () => balance(world, customer(row.uuid)));
  world.store.run('update accounts set updated_at = ? where uuid = ?', stamp, row.uuid);
  post(world, kind, reference ?? row.uuid, [
    { account: customer(row.uuid), currency, amount },
    { account: other, currency, amount: -amount },
  ]);
  const now = shownTime(world, world.now());
  const movement = {
    uuid: newUuid(),
    account_uuid: row.uuid,
    direction: amount > 0 ? 'CREDIT' : 'DEBIT',
    kind,
    amount: Math.abs(amount),
    currency,
    source_reference: reference,
    named_as: causeUuid === null ? null : namedAs(world, reference, causeUuid),
    created_at: now,
  } as const;
  world.store.run(
    `insert into movements (uuid, account_uuid, direction, kind, amount, currency, source_reference, named_as, created_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...Object.values(movement),
  );
  const to = { resource: 'accounts' as const, uuid: row.uuid, callback_url: row.callback_url };
  enqueueCallback(world, 'movement.created', to, present(movement), now);
  return movement.uuid;
}

function namedAs(world: World, handle: string | null, uuid: string): string | null {
  const last = world.store.get<{ seq: number | null }>('select max(seq) as seq from movements');
  const shown = referenceTo(world, { handle, uuid }, (last?.seq ?? 0) + 1);
  return shown === handle ? null : (shown ?? '');
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

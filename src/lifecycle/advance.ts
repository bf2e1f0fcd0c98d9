// The only writer of a lifecycle's state. State, history, projection and effects are one commit; the network is never called.
import { sql } from 'kysely';
import type { AnyStateMachine, ContextFrom, EventFromLogic, InputFrom } from 'xstate';
import type { Effect } from '../../machines/effects.ts';
import { assertInvariants } from '../../machines/invariants.ts';
import type { LeafState } from '../../machines/leaf-state.ts';
import type { StateOf } from '../../machines/machines.ts';
import { begin as beginMachine, statusOf, step } from '../../machines/step.ts';
import type { Db } from '../database/orm.ts';
import type { SubjectTable } from '../entities/subject.ts';
import { enqueueEffect } from '../outbox/enqueue.ts';
import type { Cause, Lifecycle, LifecycleRow } from './lifecycle.ts';

/**
 * Applies one event to a row that the caller has locked in `tx`.
 * @returns the row as it now is, or null when its state refuses the event: then nothing is written.
 * @throws InvariantBroken when the row could not go on from what it would become.
 */
export async function advance<Machine extends AnyStateMachine, Row extends LifecycleRow<Machine>>(
  tx: Db,
  lifecycle: Lifecycle<Machine, Row>,
  row: Row,
  event: EventFromLogic<Machine>,
  cause: Cause,
  now: Date,
): Promise<Row | null> {
  const next = step(lifecycle.machine, row.state, lifecycle.contextOf(row), event);
  if (next === null) return null;
  assertInvariants(lifecycle.machine, lifecycle.invariants, next);
  const seq = row.seq + 1;
  const columns = {
    ...lifecycle.columnsOf(next.context),
    state: next.state,
    seq,
    state_entered_at: next.state === row.state ? row.state_entered_at : now,
    updated_at: now,
  };
  const advanced = { ...row, ...columns } as Row;
  // Sent together, in this order; one that fails takes all of them back.
  await Promise.all([
    updateRow(tx, lifecycle.table, row, columns),
    writeHistory(tx, lifecycle, advanced, { from: row.state, event, cause, now }),
    lifecycle.project?.(tx, advanced, { status: statusOf(next.state), context: next.context, now }),
    orderAll(tx, lifecycle, advanced, next.effects, now),
  ]);
  return advanced;
}

/** What a new row carries before its machine has spoken. */
type NewRow<Row extends LifecycleRow> = Omit<Row, 'state' | 'seq' | 'state_entered_at' | 'updated_at'>;

/**
 * Inserts a new row in its machine's first state, with the effects which that state orders.
 * @param event what happens to it in the same moment: the row is written once, its history has both transitions. What
 *   its state projects, the caller writes with it.
 */
export async function begin<Machine extends AnyStateMachine, Row extends LifecycleRow<Machine>>(
  tx: Db,
  lifecycle: Lifecycle<Machine, Row>,
  row: NewRow<Row>,
  input: InputFrom<Machine>,
  cause: Cause,
  now: Date,
  event?: EventFromLogic<Machine>,
): Promise<Row> {
  const first = beginMachine(lifecycle.machine, input);
  const begun = newRow(lifecycle, row, first, 1, now);
  const next = event && step(lifecycle.machine, first.state, first.context as ContextFrom<Machine>, event);
  if (next === null) throw new Error(`a new ${lifecycle.kind} refuses ${event?.type}`);
  for (const one of next ? [first, next] : [first])
    assertInvariants(lifecycle.machine, lifecycle.invariants, one);
  const latest = next ? newRow(lifecycle, row, next, 2, now) : begun;
  await Promise.all([
    tx
      .insertInto(lifecycle.table as AnyTable)
      .values(latest as never)
      .execute(),
    writeHistory(tx, lifecycle, begun, { from: null, event: { type: 'begun' }, cause, now }),
    orderAll(tx, lifecycle, begun, first.effects, now),
    event && writeHistory(tx, lifecycle, latest, { from: begun.state, event, cause, now }),
    next && orderAll(tx, lifecycle, latest, next.effects, now),
  ]);
  return latest;
}

const newRow = <Machine extends AnyStateMachine, Row extends LifecycleRow<Machine>>(
  lifecycle: Lifecycle<Machine, Row>,
  row: NewRow<Row>,
  { state, context }: { state: LeafState<Machine>; context: unknown },
  seq: number,
  now: Date,
): Row =>
  ({
    ...row,
    ...lifecycle.columnsOf(context as ContextFrom<Machine>),
    state,
    seq,
    state_entered_at: now,
    updated_at: now,
  }) as unknown as Row;

/** Locks a user's row for the rest of the transaction, so that its events are applied one after the other. */
export async function lockRow<Machine extends AnyStateMachine, Row extends LifecycleRow<Machine>>(
  tx: Db,
  lifecycle: Lifecycle<Machine, Row>,
  { id, userId }: { id: string; userId: string },
): Promise<Row | null> {
  const row = await tx
    .selectFrom(lifecycle.table as AnyTable)
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return (row as unknown as Row | undefined) ?? null;
}

// The tables differ only in columns that the lifecycle itself supplies.
type AnyTable = 'withdraws';

// Compare-and-set on `seq`, beside the lock: a caller that forgot to lock finds out here, not in the accounts.
async function updateRow(
  tx: Db,
  table: SubjectTable,
  { id, user_id, seq }: LifecycleRow,
  columns: Record<string, unknown>,
): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable(table as AnyTable)
    .set(columns)
    .where('id', '=', id)
    .where('user_id', '=', user_id)
    .where('seq', '=', seq)
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) throw new Error(`${table} ${id} has moved on from transition ${seq}`);
}

async function writeHistory<Machine extends AnyStateMachine, Row extends LifecycleRow<Machine>>(
  tx: Db,
  lifecycle: Lifecycle<Machine, Row>,
  row: Row,
  {
    from,
    event,
    cause,
    now,
  }: { from: LeafState<Machine> | null; event: { type: string }; cause: Cause; now: Date },
): Promise<void> {
  const { type, ...eventData } = event;
  await tx
    .insertInto('transitions')
    .values({
      subject_kind: lifecycle.kind,
      subject_id: row.id,
      seq: row.seq,
      user_id: row.user_id,
      from_state: from as StateOf | null,
      to_state: row.state as StateOf,
      event: type,
      event_data: sql`${JSON.stringify(eventData)}::jsonb`,
      cause_kind: cause.kind,
      cause_id: cause.id,
      occurred_at: now,
    })
    .execute();
}

async function orderAll<Machine extends AnyStateMachine, Row extends LifecycleRow<Machine>>(
  tx: Db,
  lifecycle: Lifecycle<Machine, Row>,
  row: Row,
  effects: Effect[],
  now: Date,
): Promise<void> {
  if (lifecycle.ordersNothing) return;
  const subject = { kind: lifecycle.kind, id: row.id, userId: row.user_id, seq: row.seq };
  await Promise.all(
    effects.map((effect) =>
      enqueueEffect(tx, { subject, effect, resource: lifecycle.resourceOf(row, effect), now }),
    ),
  );
}

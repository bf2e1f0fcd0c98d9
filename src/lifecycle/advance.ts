// The only writer of a lifecycle's state. State, history, projection and effects are one commit; no network call is made.

import type { AnyStateMachine, ContextFrom, EventFromLogic, InputFrom } from 'xstate';
import type { Effect } from '../../machines/effects.ts';
import { assertInvariants } from '../../machines/invariants.ts';
import type { LeafState } from '../../machines/leaf-state.ts';
import type { StateOf } from '../../machines/machines.ts';
import { begin as beginMachine, statusOf, step } from '../../machines/step.ts';
import { enqueueEffect } from '../outbox/enqueue.ts';
import type { EnqueuingTx } from '../outbox/hand-off.ts';
import { insertSubject, insertTransition, lockSubject, updateSubject } from '../tables/lifecycles.ts';
import type { Db } from '../tables/orm.ts';
import type { SubjectEntity, SubjectKind } from '../tables/subject.ts';
import type { Cause } from '../tables/transitions/entity.ts';
import type { Lifecycle, LifecycleRow } from './lifecycle.ts';

/**
 * Applies one event to a row that the caller has locked in `tx`.
 * @returns the changed row, or null if its state does not accept the event. Then nothing is written.
 * @throws InvariantBroken if the changed row breaks an invariant of its new state.
 */
export async function advance<Machine extends AnyStateMachine, Row extends LifecycleRow<Machine>>(
  tx: EnqueuingTx,
  lifecycle: Lifecycle<Machine, Row>,
  row: Row,
  event: EventFromLogic<Machine>,
  cause: Cause,
  now: Date,
): Promise<Row | null> {
  return prepareAdvance(tx, lifecycle, row, event, cause, now)?.() ?? null;
}

/**
 * Prepares the application of one event to a locked row, for callers that write more in the same packet. The returned function
 * writes and resolves to the changed row. Returns null if the row's state does not accept the event.
 * @throws InvariantBroken if the changed row breaks an invariant of its new state.
 */
export function prepareAdvance<Machine extends AnyStateMachine, Row extends LifecycleRow<Machine>>(
  tx: EnqueuingTx,
  lifecycle: Lifecycle<Machine, Row>,
  row: Row,
  event: EventFromLogic<Machine>,
  cause: Cause,
  now: Date,
): (() => Promise<Row>) | null {
  const next = step(lifecycle.machine, row.state, lifecycle.contextOf(row), event);
  if (next === null) return null;
  assertInvariants(lifecycle.machine, lifecycle.invariants, next);
  const advanced = rowAfter(lifecycle, row, next, row.seq + 1, now);
  const projection = {
    status: statusOf(next.state),
    formerStatus: statusOf(row.state),
    context: next.context,
    now,
  };
  return async () => {
    // These statements are sent together, in this order. If one fails, all are rolled back.
    await Promise.all([
      updateRow(tx, lifecycle.entity, advanced, row.seq),
      writeTransition(tx, lifecycle, { row: advanced, from: row.state, event }, cause, now),
      lifecycle.project?.(tx, advanced, projection),
      enqueueAll(tx, lifecycle, advanced, next.effects, now),
    ]);
    return advanced;
  };
}

/** The properties of a new row before its machine begins. */
type NewRow<Row extends LifecycleRow> = Omit<Row, 'state' | 'seq' | 'stateEnteredAt' | 'updatedAt'>;

/**
 * Inserts a new row in its machine's first state, with the effects that this state emits.
 * @param event is applied in the same commit: the row is written once, and its history has both transitions. `project` does not
 *   run; the caller writes the projection of the row's state.
 */
export async function begin<Machine extends AnyStateMachine, Row extends LifecycleRow<Machine>>(
  tx: EnqueuingTx,
  lifecycle: Lifecycle<Machine, Row>,
  row: NewRow<Row>,
  input: InputFrom<Machine>,
  cause: Cause,
  now: Date,
  event?: EventFromLogic<Machine>,
): Promise<Row> {
  const first = beginMachine(lifecycle.machine, input);
  const begun = rowAfter(lifecycle, row, first, 1, now);
  const next = event && step(lifecycle.machine, first.state, first.context as ContextFrom<Machine>, event);
  if (next === null) throw new Error(`a new ${lifecycle.kind} refuses ${event?.type}`);
  for (const one of next ? [first, next] : [first])
    assertInvariants(lifecycle.machine, lifecycle.invariants, one);
  const latest = next ? rowAfter(lifecycle, row, next, 2, now) : begun;
  await Promise.all([
    insertSubject[lifecycle.entity](tx, latest),
    writeTransition(tx, lifecycle, { row: begun, from: null, event: { type: 'begun' } }, cause, now),
    event && writeTransition(tx, lifecycle, { row: latest, from: begun.state, event }, cause, now),
    enqueueAll(tx, lifecycle, begun, first.effects, now),
    next && enqueueAll(tx, lifecycle, latest, next.effects, now),
  ]);
  return latest;
}

/** Returns the row after a transition. @param row before it; a new row has no state yet. */
const rowAfter = <Machine extends AnyStateMachine, Row extends LifecycleRow<Machine>>(
  lifecycle: Lifecycle<Machine, Row>,
  row: NewRow<Row> & Partial<LifecycleRow>,
  { state, context }: { state: LeafState<Machine>; context: unknown },
  seq: number,
  now: Date,
): Row =>
  ({
    ...row,
    ...lifecycle.propertiesOf(context as ContextFrom<Machine>),
    state,
    seq,
    stateEnteredAt: state === row.state ? row.stateEnteredAt : now,
    updatedAt: now,
  }) as unknown as Row;

/** Locks a user's row for the rest of the transaction, so that its events are applied one after the other. */
export async function lockRow<Machine extends AnyStateMachine, Row extends LifecycleRow<Machine>>(
  tx: Db,
  lifecycle: Lifecycle<Machine, Row>,
  { id, userId }: { id: string; userId: string },
): Promise<Row | null> {
  return ((await lockSubject[lifecycle.entity](tx, { id, userId })) as Row | undefined) ?? null;
}

// Compares and sets `seq`, in addition to the lock: if a caller forgot to lock the row, this fails before any money is wrong.
async function updateRow(tx: Db, entity: SubjectEntity, row: LifecycleRow, formerSeq: number): Promise<void> {
  if ((await updateSubject[entity](tx, { ...row, formerSeq })) !== 1)
    throw new Error(`${entity} ${row.id} has moved on from transition ${formerSeq}`);
}

const writeTransition = (
  tx: Db,
  { kind }: { kind: SubjectKind },
  { row, from, event }: { row: LifecycleRow; from: StateOf | null; event: { type: string } },
  cause: Cause,
  now: Date,
): Promise<unknown> => {
  const { type, ...eventData } = event;
  return insertTransition(tx, {
    subjectKind: kind,
    subjectId: row.id,
    seq: row.seq,
    userId: row.userId,
    fromState: from,
    toState: row.state,
    event: type,
    eventData: JSON.stringify(eventData),
    causeKind: cause.kind,
    causeId: cause.id,
    occurredAt: now,
  });
};

async function enqueueAll<Machine extends AnyStateMachine, Row extends LifecycleRow<Machine>>(
  tx: EnqueuingTx,
  lifecycle: Lifecycle<Machine, Row>,
  row: Row,
  effects: Effect[],
  now: Date,
): Promise<void> {
  if (lifecycle.emitsNothing) return;
  const subject = { kind: lifecycle.kind, id: row.id, userId: row.userId, seq: row.seq };
  await Promise.all(
    effects.map((effect) =>
      enqueueEffect(tx, {
        subject,
        effect,
        resource: lifecycle.resourceOf(row, effect),
        urgentUntil: lifecycle.urgentUntil?.(row, effect) ?? null,
        now,
      }),
    ),
  );
}

// What `advance` needs to know of each kind of row that has a machine: how to read it, and what follows from its state.
import type { AnyStateMachine, ContextFrom } from 'xstate';
import type { Effect } from '../../machines/effects.ts';
import type { Invariants } from '../../machines/invariants.ts';
import type { LeafState, StatusOf } from '../../machines/leaf-state.ts';
import type { StateOf } from '../../machines/machines.ts';
import type { Db } from '../database/orm.ts';
import type { OrderedResource, SubjectEntity, SubjectKind } from '../entities/subject.ts';

/** What every such row has. */
export type LifecycleRow<Machine extends AnyStateMachine = AnyStateMachine> = {
  id: string;
  userId: string;
  state: LeafState<Machine> & StateOf;
  seq: number;
  stateEnteredAt: Date;
  createdAt: Date;
  updatedAt: Date;
};

export type Lifecycle<Machine extends AnyStateMachine, Row extends LifecycleRow<Machine>> = {
  kind: SubjectKind;
  entity: SubjectEntity;
  machine: Machine;
  /** What must be true in each state; asserted before it is saved. */
  invariants: Invariants<Machine>;
  /** The machine's memory, out of the row. */
  contextOf: (row: Row) => ContextFrom<Machine>;
  /** The row's properties, out of the machine's memory: the way back. */
  propertiesOf: (context: ContextFrom<Machine>) => Partial<Row>;
  /** The resource that an effect creates, or null when it creates none. */
  resourceOf: (row: Row, effect: Effect) => OrderedResource | null;
  /** Until when an effect is of use, where that is soon: it goes before other work. Null, or without it: it has time. */
  urgentUntil?: (row: Row, effect: Effect) => Date | null;
  /** What is taken over from the provider was ordered long ago: ordering it once more would do it twice. */
  ordersNothing?: true;
  /** Writes what else must change in the same commit. */
  project?: (tx: Db, row: Row, next: Projection<Machine>) => Promise<void>;
};

export type Projection<Machine extends AnyStateMachine> = {
  status: StatusOf<LeafState<Machine>>;
  /** Before the transition. */
  formerStatus: StatusOf<LeafState<Machine>>;
  context: ContextFrom<Machine>;
  now: Date;
};

/** Why a transition happened: the request, the webhook event, the job or the operator behind it. */
export type Cause = { kind: 'request' | 'webhook' | 'job' | 'operator'; id: string };

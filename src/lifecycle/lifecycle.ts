// Describes to `advance` each kind of row that has a machine: how the machine's context is stored in it,
// and what follows from its state.
import type { AnyStateMachine, ContextFrom } from 'xstate';
import type { Effect } from '../../machines/effects.ts';
import type { Invariants } from '../../machines/invariants.ts';
import type { LeafState, StatusOf } from '../../machines/leaf-state.ts';
import type { StateOf } from '../../machines/machines.ts';
import type { EnqueuingTx } from '../outbox/hand-off.ts';
import type { ExpectedResource, SubjectEntity, SubjectKind } from '../tables/subject.ts';

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
  /** The conditions that must hold in each state. They are asserted before the state is saved. */
  invariants: Invariants<Machine>;
  /** Returns the machine's context, read from the row. */
  contextOf: (row: Row) => ContextFrom<Machine>;
  /** Returns the row's properties that store the machine's context; the inverse of `contextOf`. */
  propertiesOf: (context: ContextFrom<Machine>) => Partial<Row>;
  /** Returns the resource that an effect creates, or null if it creates none. */
  resourceOf: (row: Row, effect: Effect) => ExpectedResource | null;
  /**
   * Returns until when an effect is useful, if that is soon; it then runs before other work. Null or
   * undefined means that it is not urgent.
   */
  urgentUntil?: (row: Row, effect: Effect) => Date | null;
  /** Set for rows that are adopted from the provider. Their effects ran long ago; running them again would repeat the calls. */
  emitsNothing?: true;
  /** Writes everything else that must change in the same commit. */
  project?: (tx: EnqueuingTx, row: Row, next: Projection<Machine>) => Promise<void>;
};

/** Returns the seconds from one time to another, negative if the clocks of two processes differ by more. */
export const secondsBetween = (from: Date, to: Date): number => (to.getTime() - from.getTime()) / 1_000;

export type Projection<Machine extends AnyStateMachine> = {
  status: StatusOf<LeafState<Machine>>;
  formerStatus: StatusOf<LeafState<Machine>>;
  context: ContextFrom<Machine>;
  now: Date;
};

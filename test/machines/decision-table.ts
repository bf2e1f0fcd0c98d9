// The form of a table that decides every event in every situation of a machine. The tests read it, and the fixtures of new states are
// recorded from it.
import type { AnyStateMachine, ContextFrom, EventFromLogic } from 'xstate';
import type { Invariants } from '../../machines/invariants.ts';
import type { LeafState } from '../../machines/leaf-state.ts';

/** `situations` and `events` are named by what matters about them, so that the table is readable. */
export type Decisions<Machine extends AnyStateMachine, Situation extends string, Name extends string> = {
  machine: Machine;
  invariants: Invariants<Machine>;
  situations: Record<Situation, { state: LeafState<Machine>; context: ContextFrom<Machine> }>;
  events: Record<Name, EventFromLogic<Machine>>;
  /** The columns are: situation, event, next state, emitted effects, and the changed properties of the context. */
  accepted: readonly Accepted<Machine, NoInfer<Situation>, NoInfer<Name>>[];
  refused: Record<NoInfer<Situation>, readonly NoInfer<Name>[]>;
};

export const decisionsOf = <Machine extends AnyStateMachine, Situation extends string, Name extends string>(
  table: Decisions<Machine, Situation, Name>,
): Decisions<Machine, Situation, Name> => table;

export type Accepted<
  Machine extends AnyStateMachine,
  Situation extends string,
  Name extends string,
> = readonly [
  situation: Situation,
  event: Name,
  next: LeafState<Machine>,
  effects: readonly string[],
  recorded?: Partial<ContextFrom<Machine>>,
];

// The invariants of rows in each state, declared as data next to each machine. They are asserted before a state is saved. A violation
// is a defect in our code, and saving nothing is better than saving a state that later steps rely on.
import type { AnyStateMachine, ContextFrom } from 'xstate';
import type { LeafState } from './leaf-state.ts';

export type Invariant<Context> = { says: string; holds: (context: Context) => boolean };

/** The invariants of each state. Every state needs a list, even an empty one. */
export type Invariants<Machine extends AnyStateMachine> = {
  [State in LeafState<Machine>]: readonly Invariant<ContextFrom<Machine>>[];
};

/**
 * Asserts the invariants of a state.
 * @throws InvariantBroken if a row in this state cannot have this context.
 */
export function assertInvariants<Machine extends AnyStateMachine>(
  machine: Machine,
  invariants: Invariants<Machine>,
  { state, context }: { state: LeafState<Machine>; context: ContextFrom<Machine> },
): void {
  const broken = invariants[state].filter(({ holds }) => !holds(context));
  if (broken.length > 0)
    throw new InvariantBroken(
      machine.id,
      state,
      broken.map(({ says }) => says),
    );
}

export class InvariantBroken extends Error {
  readonly state: string;
  readonly rules: string[];

  constructor(machineId: string, state: string, rules: string[]) {
    super(`${machineId} in ${state} breaks a rule of that state: ${rules.join('; ')}`);
    this.name = 'InvariantBroken';
    this.state = state;
    this.rules = rules;
  }
}

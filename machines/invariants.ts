// What must be true of a row in each state, as data beside each machine. It is asserted before a state is saved: a
// violation is a defect of ours, and saving nothing is better than saving what the next step would build upon.
import type { AnyStateMachine, ContextFrom } from 'xstate';
import type { LeafState } from './leaf-state.ts';

export type Invariant<Context> = { says: string; holds: (context: Context) => boolean };

/** Every state has its list, also where it is empty. */
export type Invariants<Machine extends AnyStateMachine> = {
  [State in LeafState<Machine>]: readonly Invariant<ContextFrom<Machine>>[];
};

/** @throws InvariantBroken when the context is not one that a row in the state can have. */
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
  /** The rules broken, as they are declared. */
  readonly rules: string[];

  constructor(machineId: string, state: string, rules: string[]) {
    super(`${machineId} in ${state} breaks a rule of that state: ${rules.join('; ')}`);
    this.name = 'InvariantBroken';
    this.state = state;
    this.rules = rules;
  }
}

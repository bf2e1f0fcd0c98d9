// Runs a machine as a pure function: it takes a state, a context and an event, and returns the next state, the next context and the
// effects.

import {
  type AnyStateMachine,
  type AnyStateNode,
  type ContextFrom,
  type EventFromLogic,
  type InputFrom,
  initialTransition,
  type StateValue,
  transition,
} from 'xstate';
import type { Effect } from './effects.ts';
import type { LeafState, StatusOf } from './leaf-state.ts';

export type Stepped<Machine extends AnyStateMachine> = {
  state: LeafState<Machine>;
  context: ContextFrom<Machine>;
  effects: Effect[];
};

/**
 * Applies one event to a persisted state.
 * @returns the next state and context with the emitted effects, or null if the state refuses the event.
 * @throws Error if `state` is not a state of the machine: other code has written the row.
 */
export function step<Machine extends AnyStateMachine>(
  machine: Machine,
  state: LeafState<Machine>,
  context: ContextFrom<Machine>,
  event: EventFromLogic<Machine>,
): Stepped<Machine> | null {
  const logic: AnyStateMachine = machine;
  if (!isState(logic, state)) throw new Error(`${machine.id} has no state ${state}`);
  const snapshot = logic.resolveState({ value: stateValue(state), context });
  if (!snapshot.can(event)) return null;
  const [next, actions] = transition(logic, snapshot, event);
  return { state: leafStateOf(next), context: next.context, effects: actions.map(effectOf) };
}

/** Returns the first state and context of a new row, with the effects that entering the state emits. */
export function begin<Machine extends AnyStateMachine>(
  machine: Machine,
  input: InputFrom<Machine>,
): Stepped<Machine> {
  const logic: AnyStateMachine = machine;
  const [snapshot, actions] = initialTransition(logic, input);
  return { state: leafStateOf(snapshot), context: snapshot.context, effects: actions.map(effectOf) };
}

/** Converts a state value to the form that rows and transitions store: `converting.leg1` for `{ converting: 'leg1' }`. */
export function stateText(value: StateValue): string {
  if (typeof value === 'string') return value;
  return Object.entries(value)
    .map(([parent, child]) => (child === undefined ? parent : `${parent}.${stateText(child)}`))
    .join();
}

/** Returns the status that the API's contract has for a state: `converting` for `converting.leg1`. */
export const statusOf = <State extends string>(state: State): StatusOf<State> =>
  (state.split('.', 1)[0] ?? state) as StatusOf<State>;

const leafStateOf = <Machine extends AnyStateMachine>({ value }: { value: StateValue }): LeafState<Machine> =>
  stateText(value) as LeafState<Machine>;

// Checked here because xstate would resolve `converting` to its first child, and would accept the name of an object's method.
function isState({ root }: AnyStateMachine, text: string): boolean {
  let node: AnyStateNode = root;
  for (const key of text.split('.')) {
    const child = Object.hasOwn(node.states, key) ? node.states[key] : undefined;
    if (child === undefined) return false;
    node = child;
  }
  return node.type === 'atomic';
}

const stateValue = (text: string): StateValue => {
  const [parent, child] = text.split('.');
  return child === undefined ? text : { [parent as string]: child };
};

const effectOf = ({ type, params }: { type: string; params: unknown }): Effect =>
  (params === undefined ? { type } : { type, params }) as Effect;

// The one way a machine is run: state, context and event in; next state, next context and effects out. No side effects.

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
 * @returns the next state with the effects it orders, or null when this state refuses the event.
 * @throws when `state` is not a state of the machine: other code wrote the row.
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

/** The first state of a new row, with the effects that entering it orders. */
export function begin<Machine extends AnyStateMachine>(
  machine: Machine,
  input: InputFrom<Machine>,
): Stepped<Machine> {
  const logic: AnyStateMachine = machine;
  const [snapshot, actions] = initialTransition(logic, input);
  return { state: leafStateOf(snapshot), context: snapshot.context, effects: actions.map(effectOf) };
}

/** `{ converting: 'leg1' }` as `converting.leg1`, the form that rows and histories keep. */
export function stateText(value: StateValue): string {
  if (typeof value === 'string') return value;
  return Object.entries(value)
    .map(([parent, child]) => (child === undefined ? parent : `${parent}.${stateText(child)}`))
    .join();
}

/** The name the contract shows: `converting` for `converting.leg1`. */
export const statusOf = <State extends string>(state: State): StatusOf<State> =>
  (state.split('.', 1)[0] ?? state) as StatusOf<State>;

const leafStateOf = <Machine extends AnyStateMachine>({ value }: { value: StateValue }): LeafState<Machine> =>
  stateText(value) as LeafState<Machine>;

// Checked here because xstate would take `converting` for its first child, and an object's method name for a state.
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

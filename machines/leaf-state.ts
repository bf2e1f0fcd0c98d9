// The names of a machine's states as rows keep them, inferred from the machine's type: an unknown name does not compile.
import type { AnyStateMachine, SnapshotFrom } from 'xstate';

/** `converting.leg1` for `{ converting: 'leg1' }`: a row is never in a state that has children, but in one of these. */
export type LeafState<Machine extends AnyStateMachine> = Extract<
  TextOf<SnapshotFrom<Machine>['value']>,
  string
>;

/** The name the contract shows: `converting` for `converting.leg1`. */
export type StatusOf<State extends string> = State extends `${infer Top}.${string}` ? Top : State;

// A machine of unknown type has states of any name.
type TextOf<Value> = [string] extends [Value] ? string : Flat<Value>;
type Flat<Value> = Value extends string
  ? Value
  : { [Parent in keyof Value & string]: `${Parent}.${Extract<Flat<Value[Parent]>, string>}` }[keyof Value &
      string];

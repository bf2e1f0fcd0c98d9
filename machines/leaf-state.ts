// The names of a machine's states as rows store them. They are inferred from the machine's type, so an unknown name does not compile.
import type { AnyStateMachine, SnapshotFrom } from 'xstate';

/** The states that a row can be in: `converting.leg1` for `{ converting: 'leg1' }`. A row is never in a state that has children. */
export type LeafState<Machine extends AnyStateMachine> = Extract<
  TextOf<SnapshotFrom<Machine>['value']>,
  string
>;

/** The status that the API's contract has for a state: `converting` for `converting.leg1`. */
export type StatusOf<State extends string> = State extends `${infer Top}.${string}` ? Top : State;

// If the machine's type is not known, its state may have any name.
type TextOf<Value> = [string] extends [Value] ? string : Flat<Value>;
type Flat<Value> = Value extends string
  ? Value
  : { [Parent in keyof Value & string]: `${Parent}.${Extract<Flat<Value[Parent]>, string>}` }[keyof Value &
      string];

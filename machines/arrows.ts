// Reads the states and transitions of a machine from its definition, without running it. Diagrams, tests and commands use them.
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import type { LeafState } from './leaf-state.ts';
import type { StateTag } from './tags.ts';

/** A state, named as in rows. A row is never in a state that has children, only in one of its children. */
export type State = { name: string; description: string; children: State[] };

/** A transition. `guard` is null if there is none, and `otherwise` for the branch without a guard behind guarded ones. */
export type Arrow = { from: string; event: string; guard: string | null; to: string; effects: string[] };

export const statesOf = (machine: AnyStateMachine): State[] => childrenOf(machine.root);

/** Lists the states that rows can be in. */
export const leafStatesOf = <Machine extends AnyStateMachine>(machine: Machine): LeafState<Machine>[] =>
  leavesOf(machine.root).map((leaf) => nameOf(leaf) as LeafState<Machine>);

/** Lists the states that rows can be in and that have the tag, directly or through an ancestor. */
export const statesTagged = <Machine extends AnyStateMachine>(
  machine: Machine,
  tag: StateTag,
): LeafState<Machine>[] =>
  leavesOf(machine.root)
    .filter((leaf) => lineage(leaf).some(({ tags }) => tags.includes(tag)))
    .map((leaf) => nameOf(leaf) as LeafState<Machine>);

export const arrowsOf = (machine: AnyStateMachine): Arrow[] =>
  leavesOf(machine.root).flatMap((leaf) => lineage(leaf).flatMap((node) => arrowsFrom(leaf, node)));

export function beginningOf(machine: AnyStateMachine): Pick<Arrow, 'to' | 'effects'> {
  const first = firstLeaf(machine.root);
  return { to: nameOf(first), effects: effectsOf(first, entriesBetween(machine.root, first)) };
}

// Events that `node` accepts are accepted in each of its leaves.
function arrowsFrom(leaf: AnyStateNode, node: AnyStateNode): Arrow[] {
  return [...node.transitions].flatMap(([event, branches]) =>
    branches.map(({ guard, target: [target] = [], actions }) => {
      const to = target === undefined ? leaf : firstLeaf(target);
      const entries = target === undefined ? [] : entriesBetween(leaf, to);
      return {
        from: nameOf(leaf),
        event,
        guard: guard === undefined ? (branches.length > 1 ? 'otherwise' : null) : typeName(guard),
        to: nameOf(to),
        effects: effectsOf(leaf, [...actions, ...entries]),
      };
    }),
  );
}

const childrenOf = (node: AnyStateNode): State[] =>
  Object.values(node.states).map((child) => ({
    name: nameOf(child),
    description: child.description ?? '',
    children: childrenOf(child),
  }));

const leavesOf = (node: AnyStateNode): AnyStateNode[] => {
  const children = Object.values(node.states);
  return children.length === 0 ? [node] : children.flatMap(leavesOf);
};

function firstLeaf(node: AnyStateNode): AnyStateNode {
  const [first] = node.type === 'compound' ? (node.initial.target ?? []) : [];
  return first === undefined ? node : firstLeaf(first);
}

/** Returns the node and its ancestors, outermost first. */
const lineage = (node: AnyStateNode): AnyStateNode[] =>
  node.parent === undefined ? [node] : [...lineage(node.parent), node];

const entriesBetween = (from: AnyStateNode, to: AnyStateNode) => {
  const around = from === to ? lineage(from).slice(0, -1) : lineage(from);
  return lineage(to)
    .filter((node) => !around.includes(node))
    .flatMap((node) => node.entry);
};

// An `assign` action changes the context within the transition, so it is not an effect.
const effectsOf = ({ machine }: AnyStateNode, actions: readonly unknown[]): string[] =>
  actions
    .filter((action) => !isRecord(machine.implementations.actions[typeName(action)]))
    .map((action) => effectName(action));

const isRecord = (implementation: unknown): boolean =>
  typeof implementation === 'function' && 'type' in implementation;

/** Formats an effect as its type and its parameters, separated by colons: `startConversion:reverse`. */
export function effectName(effect: unknown): string {
  const params = typeof effect === 'object' && effect !== null && 'params' in effect ? effect.params : {};
  return [typeName(effect), ...Object.values(params ?? {})].join(':');
}

const typeName = (named: unknown): string =>
  typeof named === 'object' && named !== null && 'type' in named ? String(named.type) : String(named);

const nameOf = ({ path }: AnyStateNode): string => path.join('.');

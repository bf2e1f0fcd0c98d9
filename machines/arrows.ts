// What a machine can do, read from its definition without running it: its states and transitions. For diagrams and
// tests.
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import type { LeafState } from './leaf-state.ts';
import type { StateTag } from './tags.ts';

/** Named as in rows. A row is never in a state that has children, but in one of these. */
export type State = { name: string; description: string; children: State[] };

/** `guard` is null where there is none, `otherwise` for the branch left when the guards before it are false. */
export type Arrow = { from: string; event: string; guard: string | null; to: string; effects: string[] };

export const statesOf = (machine: AnyStateMachine): State[] => childrenOf(machine.root);

/** The states that rows can be in. */
export const leafStatesOf = <Machine extends AnyStateMachine>(machine: Machine): LeafState<Machine>[] =>
  leavesOf(machine.root).map((leaf) => nameOf(leaf) as LeafState<Machine>);

/** The states that rows can be in and that have the tag, themselves or by an ancestor. */
export const statesTagged = <Machine extends AnyStateMachine>(
  machine: Machine,
  tag: StateTag,
): LeafState<Machine>[] =>
  leavesOf(machine.root)
    .filter((leaf) => lineage(leaf).some(({ tags }) => tags.includes(tag)))
    .map((leaf) => nameOf(leaf) as LeafState<Machine>);

export const arrowsOf = (machine: AnyStateMachine): Arrow[] =>
  leavesOf(machine.root).flatMap((leaf) => lineage(leaf).flatMap((node) => arrowsFrom(leaf, node)));

/** The first state, and the effects of entering it. */
export function beginningOf(machine: AnyStateMachine): Pick<Arrow, 'to' | 'effects'> {
  const first = firstLeaf(machine.root);
  return { to: nameOf(first), effects: effectsOf(first, entriesBetween(machine.root, first)) };
}

// What `node` accepts is accepted in each of its leaves, too.
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

/** The node and its ancestors, outermost first. */
const lineage = (node: AnyStateNode): AnyStateNode[] =>
  node.parent === undefined ? [node] : [...lineage(node.parent), node];

const entriesBetween = (from: AnyStateNode, to: AnyStateNode) => {
  const around = from === to ? lineage(from).slice(0, -1) : lineage(from);
  return lineage(to)
    .filter((node) => !around.includes(node))
    .flatMap((node) => node.entry);
};

// Records are assigned in the transition itself, so they are not effects.
const effectsOf = ({ machine }: AnyStateNode, actions: readonly unknown[]): string[] =>
  actions
    .filter((action) => !isRecord(machine.implementations.actions[typeName(action)]))
    .map((action) => effectName(action));

const isRecord = (implementation: unknown): boolean =>
  typeof implementation === 'function' && 'type' in implementation;

/** An effect in one word, its parameters after a colon: `startConversion:reverse`. */
export function effectName(effect: unknown): string {
  const params = typeof effect === 'object' && effect !== null && 'params' in effect ? effect.params : {};
  return [typeName(effect), ...Object.values(params ?? {})].join(':');
}

const typeName = (named: unknown): string =>
  typeof named === 'object' && named !== null && 'type' in named ? String(named.type) : String(named);

const nameOf = ({ path }: AnyStateNode): string => path.join('.');

// Places states in rows, in the order in which they follow one another. A state that many others lead to is placed at the side.
import type { Link, PublicStates } from './public-states.ts';

/** From this number on, links into one state are drawn as one line at the side. */
const MANY = 4;

export type Placed = { state: string; row: number; column: number };
export type Layout = {
  placed: Map<string, Placed>;
  rows: number;
  columns: number;
  /** The links that are drawn one by one. */
  links: Link[];
  /** A state that many others lead to, and these other states. */
  aside: { state: string; from: string[] } | null;
};

export function layoutOf({ first, states, links }: PublicStates): Layout {
  const crowded = states.find((state) => links.filter(({ to }) => to === state).length >= MANY);
  const drawn = links.filter(({ to }) => to !== crowded);
  const rowOf = rowsOf(first, drawn);
  const placed = new Map<string, Placed>();
  for (const state of states.filter((one) => one !== crowded)) {
    const row = rowOf.get(state) ?? 0;
    const column = [...placed.values()].filter((other) => other.row === row).length;
    placed.set(state, { state, row, column });
  }
  const all = [...placed.values()];
  return {
    placed,
    rows: Math.max(...all.map(({ row }) => row)) + 1,
    columns: Math.max(...all.map(({ column }) => column)) + 1,
    links: drawn,
    aside:
      crowded === undefined
        ? null
        : { state: crowded, from: links.filter(({ to }) => to === crowded).map(({ from }) => from) },
  };
}

/** The row of each state: the length of the longest way to it. A link back to a state on the way is ignored. */
function rowsOf(first: string, links: Link[]): Map<string, number> {
  const rows = new Map<string, number>();
  const walk = (state: string, path: string[]): void => {
    if (path.includes(state)) return;
    rows.set(state, Math.max(rows.get(state) ?? 0, path.length));
    for (const { from, to } of links) if (from === state) walk(to, [...path, state]);
  };
  walk(first, []);
  return rows;
}

// A machine as an app sees it: its statuses, and which may follow which. States that share a status are merged.
import type { AnyStateMachine } from 'xstate';
import { arrowsOf, beginningOf, leafStatesOf } from '../../machines/arrows.ts';
import { statusOf } from '../../machines/step.ts';

export type Link = {
  from: string;
  to: string;
  /** Whether the user causes it. The rest happens without the app. */
  isByUser: boolean;
};
export type PublicStates = { first: string; states: string[]; links: Link[] };

/** The app's actions, by their names in the machine. */
const BY_USER = new Set(['confirmed', 'retry']);

/** Returns the statuses and links. States that no link leads to are omitted. */
export function publicStatesOf(machine: AnyStateMachine): PublicStates {
  const links = new Map<string, Link>();
  for (const { from, to, event } of arrowsOf(machine)) {
    const link = { from: statusOf(from), to: statusOf(to), isByUser: BY_USER.has(event) };
    if (link.from !== link.to) links.set(`${link.from} ${link.to}`, link);
  }
  const first = statusOf(beginningOf(machine).to);
  const reached = new Set([first, ...[...links.values()].map(({ to }) => to)]);
  const states = [...new Set(leafStatesOf(machine).map(statusOf))].filter((state) => reached.has(state));
  return { first, states, links: [...links.values()] };
}

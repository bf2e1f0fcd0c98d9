// A machine as an app sees it: its statuses, and which may follow which. States that share a status are one.
import type { AnyStateMachine } from 'xstate';
import { arrowsOf, beginningOf, leafStatesOf } from '../../machines/arrows.ts';
import { statusOf } from '../../machines/step.ts';

export type Link = {
  from: string;
  to: string;
  /** The user's own doing; the rest happens without the app. */
  isByUser: boolean;
};
export type PublicStates = { first: string; states: string[]; links: Link[] };

/** What the app does, by its name in the machine. */
const BY_USER = new Set(['confirmed', 'retry']);

/** States that nothing leads to are left out. */
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

// The form of every timeline: printed line by line for people, as it is for machines.
import type { HistoryEntry } from './history.ts';
import type { LiveResource } from './provider-resources.ts';

export type Fact = { label: string; text: string };

export type Line = { id: string; what: string; state: string; since: Date | null; text: string };

export type Timeline = {
  what: string;
  id: string;
  state: string | null;
  since: Date | null;
  /** A fact with an empty text is left out for people. */
  facts: Fact[];
  /** Rows that belong to it and have timelines of their own. */
  lists: { title: string; rows: Line[] }[];
  /** Null where the provider has no resource of it. */
  provider: LiveResource[] | null;
  /** In the order of time; null for a row without a history. */
  history: HistoryEntry[] | null;
};

// The form of every story: for people line by line, for machines as it is.

import type { HistoryEntry } from './history.ts';
import type { LiveResource } from './live.ts';

export type Fact = { label: string; text: string };

export type Line = { id: string; what: string; state: string; since: Date | null; text: string };

export type Timeline = {
  what: string;
  id: string;
  state: string | null;
  since: Date | null;
  /** What is known of it; an empty text is left out for people. */
  facts: Fact[];
  /** What belongs to it and has a story of its own. */
  lists: { title: string; rows: Line[] }[];
  /** Null where there is nothing to ask the provider about. */
  provider: LiveResource[] | null;
  /** In the order of time; null for what has no history of its own. */
  history: HistoryEntry[] | null;
};

// The type of every timeline. It is printed line by line for people, and unchanged as JSON for machines.
import type { DiscrepancyLine } from './discrepancies.ts';
import type { HistoryEntry } from './history.ts';
import type { LiveResource } from './provider-resources.ts';

export type Fact = { label: string; text: string };

export type Line = { id: string; what: string; state: string; since: Date | null; text: string };

export type Timeline = {
  what: string;
  id: string;
  state: string | null;
  since: Date | null;
  /** The properties of the row. A fact with an empty text is not printed for people. */
  facts: Fact[];
  /** Lists of related rows that have their own timelines. */
  lists: { title: string; rows: Line[] }[];
  /** Null for a row that can have none. */
  provider: LiveResource[] | null;
  /** The recorded discrepancies of those resources, in words. */
  discrepancies: DiscrepancyLine[];
  /** The history in chronological order; null for a row without a history. */
  history: HistoryEntry[] | null;
};

// The work that the engine runs: rows of four tables. Each row is its own work: it says when it is due and which process has it.
import type { Entity } from '../tables/rows.ts';
import type { WorkKind } from '../tables/work.ts';

export type Work = {
  kind: WorkKind;
  id: string;
  /** The user whom the work is for, if it is known. One user never takes all slots. */
  userId: string | null;
  /** An effect's type, a nightly job's name, otherwise the kind. One type of work never takes all slots. */
  type: string;
  /** The fencing token of its lease. Every statement that records an outcome requires it. */
  token: number;
  /** How many times in a row the outcome could not be recorded. */
  unrecorded?: number;
  /** A conversion whose quote is about to expire. It starts before other work. */
  isUrgent?: boolean;
  /** For how long the row had been due when it was claimed, in milliseconds. */
  waitedMs?: number;
  /** The row, if this process has just committed it. It is then not read again. */
  committed?: Committed;
};

export type Committed = { effect: Entity<'Effect'> } | { callback: Entity<'WebhookEvent'>; payload: Buffer };

/** Runs a call to the provider that a piece of work makes, and remembers meanwhile that its slot waits for the provider. */
export type WhileCalling = <Reply>(call: () => Promise<Reply>) => Promise<Reply>;

/** Runs one piece of work and records its outcome. Any error except `LeaseLost` means that the outcome could not be recorded. */
export type WorkHandler = (work: Work, whileCalling: WhileCalling) => Promise<void>;

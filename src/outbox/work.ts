// What the engine carries out: rows of three tables. A row is its own work: it says when it is due and which process has it.
import type { Entity } from '../entities/rows.ts';
import type { WorkKind } from '../sql/work.ts';

export type Work = {
  kind: WorkKind;
  id: string;
  /** Whose it is, where that is known: one person never takes all slots. */
  userId: string | null;
  /** An effect's type, otherwise the kind: one type of work never takes all slots. */
  type: string;
  /** Of its lease, which is required to write what comes of it. */
  token: number;
  /** How many times in a row its outcome could not be recorded. */
  unrecorded?: number;
  /** A conversion whose quote is running down: it goes before other work. */
  isUrgent?: boolean;
  /** The row, where this process has just committed it: it is not read again. */
  committed?: Committed;
};

export type Committed = { effect: Entity<'Effect'> } | { callback: Entity<'WebhookEvent'>; payload: Buffer };

/** Carries out one piece of work and records its outcome. @throws when the outcome could not be recorded. */
export type Carry = (work: Work) => Promise<void>;

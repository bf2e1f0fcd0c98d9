// Database transactions that hand off their work. The rows that a transaction enqueues are inserted with a lease of this process, which
// runs them from memory right after the commit. In a process without an engine the rows are due, and another process claims them. A
// transaction that enqueues nothing uses `inDbTransaction` (src/platform/database/db-transaction.ts).
import type { Outcome, OutcomeReached } from '../domain/outcome.ts';
import { inDbTransaction } from '../platform/database/db-transaction.ts';
import type { GroupCommit } from '../platform/database/group-commit.ts';
import { currentTraceparent, inSpan } from '../platform/tracing/tracing.ts';
import type { Entities } from '../tables/entities.ts';
import type { Db } from '../tables/orm.ts';
import type { Memory } from './payment-waits.ts';
import type { Work } from './work.ts';

export type Lease = { owner: string; token: number };

/** Receives committed work: the engine of this process, or the notifier of a process that has none. */
export type HandOffTarget = {
  /** Returns the lease to insert the work with. Null if there is no room for it: the work is then due, for any process. */
  lease: (work: NewWork) => Lease | null;
  /** Says that work was committed. @param overflow the number of further pieces that were committed without a lease. */
  committed: (works: Work[], overflow: number) => void;
  /** Says that work was not committed, or that the commit was not answered. */
  failed: (works: Work[]) => void;
} & Memory;

export type NewWork = Omit<Work, 'token'>;

/** The work that one database transaction, or one statement, enqueues. */
export type HandOff = {
  /** Says that the transaction brings a row to an outcome. It counts once the transaction is committed. */
  reaches: OutcomeReached;
  lease: (work: NewWork) => Lease | null;
  /** The trace context that is stored with the work. Null if nothing is traced. */
  traceparent: string | null;
  /**
   * Says that the work was committed.
   * @param asStored returns the work as its row was stored, or null if the row was not inserted. By default, all work was stored as it is.
   */
  committed: (asStored?: (work: Work) => Work | null) => void;
  failed: () => void;
};

/** Knows the hand-off target of this process. Without a target (before the engine starts, and in commands) enqueued work is due. */
export type Outbox = {
  attach: (target: HandOffTarget) => void;
  handOff: (traceparent?: string | null) => HandOff;
} & Memory;

/** @param reached called after the commit that brings a row to an outcome. */
export function createOutbox(reached: OutcomeReached = () => undefined): Outbox {
  let target: HandOffTarget | null = null;
  return {
    attach: (attached) => {
      target = attached;
    },
    handOff: (traceparent = null) => createHandOff(target, reached, traceparent),
    waits: () => target?.waits() ?? [],
    heldUp: () => target?.heldUp() ?? [],
  };
}

/** The first token of a row's leases. */
const FIRST_TOKEN = 1;

function createHandOff(
  target: HandOffTarget | null,
  reached: OutcomeReached,
  traceparent: string | null,
): HandOff {
  const works: Work[] = [];
  const outcomes: Outcome[] = [];
  let overflow = 0;
  return {
    traceparent,
    lease: (work) => {
      const lease = target?.lease(work) ?? null;
      if (lease) works.push({ ...work, token: lease.token });
      else overflow += 1;
      return lease;
    },
    reaches: (outcome) => void outcomes.push(outcome),
    committed: (asStored = (work) => work) => {
      for (const outcome of outcomes) reached(outcome);
      const stored = works.map(asStored);
      const notInserted = works.filter((_work, nth) => stored[nth] === null);
      if (notInserted.length > 0) target?.failed(notInserted);
      target?.committed(
        stored.filter((work) => work !== null),
        overflow,
      );
    },
    failed: () => target?.failed(works),
  };
}

export const newLease = (owner: string): Lease => ({ owner, token: FIRST_TOKEN });

/** A database transaction that can enqueue work. Only `transaction` and `groupedTransaction` begin one. */
export type EnqueuingTx = Db & { readonly handOff: HandOff };

/** Commits decisions and hands off the work that they enqueue. */
export type Committing = { db: Db; outbox: Outbox };

export type GroupCommitting = Committing & { groupCommit: GroupCommit<Entities> };

/** Runs `decide` in one database transaction. The work that it enqueues runs after the commit. */
export const transaction = <Result>(
  { db, outbox }: Committing,
  decide: (tx: EnqueuingTx) => Promise<Result>,
): Promise<Result> => handingOff(outbox, decide, (handing) => inDbTransaction(db, handing));

/**
 * Runs `decide` in a database transaction that decisions about other users may share. The work that it enqueues runs after the commit.
 * `decide` may run twice.
 */
export const groupedTransaction = <Result>(
  { outbox, groupCommit }: GroupCommitting,
  person: string,
  decide: (tx: EnqueuingTx) => Promise<Result>,
): Promise<Result> => handingOff(outbox, decide, (handing) => groupCommit(person, handing));

function handingOff<Result>(
  outbox: Outbox,
  decide: (tx: EnqueuingTx) => Promise<Result>,
  commit: (handing: (tx: Db) => Promise<Result>) => Promise<Result>,
): Promise<Result> {
  return inSpan({ name: 'commit' }, async () => {
    // A decision that shares its commit may run in the context of another request, so the trace context is read here.
    const traceparent = currentTraceparent();
    let handOff = outbox.handOff(traceparent);
    try {
      const result = await commit((tx) => {
        // On the second run, everything is enqueued again.
        handOff.failed();
        handOff = outbox.handOff(traceparent);
        return decide(Object.assign(tx, { handOff }));
      });
      handOff.committed();
      return result;
    } catch (error) {
      handOff.failed();
      throw error;
    }
  });
}

// A transaction whose work is handed off: what it enqueues is leased to this process from the start, and carried out from
// memory right after the commit. Without a process that carries out work the rows are due, for any other. A transaction that
// enqueues nothing is `inTransaction` (src/database/transaction.ts).
import type { GroupCommit } from '../database/group-commit.ts';
import type { Db } from '../database/orm.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Entities } from '../entities/index.ts';
import type { WaitInMemory } from './payment-waits.ts';
import type { Work } from './work.ts';

export type Lease = { owner: string; token: number };

/** What carries out committed work, or tells others of it. */
export type Carrier = {
  /** @returns the lease under which the work is to be inserted; null when there is no room for it: then it is due. */
  lease: (work: NewWork) => Lease | null;
  /** @param left how many more were committed without a lease. */
  committed: (works: Work[], left: number) => void;
  /** They were not committed, as far as can be told. */
  failed: (works: Work[]) => void;
  /** For how long the work of payments waits in the memory of this process. */
  waits: () => WaitInMemory[];
};

export type NewWork = Omit<Work, 'token'>;

/** What one transaction, or one statement, enqueues. */
export type HandOff = {
  lease: (work: NewWork) => Lease | null;
  /** @param asStored the work with what its row was given; null where it was not inserted. Without it, all was, as it is. */
  committed: (asStored?: (work: Work) => Work | null) => void;
  failed: () => void;
};

/** The carrier of a process is known once the process works; until then, and in commands, rows are simply due. */
export type Outbox = {
  attach: (carrier: Carrier) => void;
  handOff: () => HandOff;
  waits: Carrier['waits'];
};

export function createOutbox(): Outbox {
  let carrier: Carrier | null = null;
  return {
    attach: (attached) => {
      carrier = attached;
    },
    handOff: () => createHandOff(carrier),
    waits: () => carrier?.waits() ?? [],
  };
}

/** The first token of a row's leases. */
const FIRST_TOKEN = 1;

function createHandOff(carrier: Carrier | null): HandOff {
  const works: Work[] = [];
  let left = 0;
  return {
    lease: (work) => {
      const lease = carrier?.lease(work) ?? null;
      if (lease) works.push({ ...work, token: lease.token });
      else left += 1;
      return lease;
    },
    committed: (asStored = (work) => work) => {
      const stored = works.map(asStored);
      const stoodBefore = works.filter((_work, nth) => stored[nth] === null);
      if (stoodBefore.length > 0) carrier?.failed(stoodBefore);
      carrier?.committed(
        stored.filter((work) => work !== null),
        left,
      );
    },
    failed: () => carrier?.failed(works),
  };
}

export const newLease = (owner: string): Lease => ({ owner, token: FIRST_TOKEN });

const handOffs = new WeakMap<Db, HandOff>();

type Committing = { db: Db; outbox: Outbox };

/** Runs `decide` in one transaction; what it enqueues is carried out after the commit. */
export const transaction = <Result>(
  { db, outbox }: Committing,
  decide: (tx: Db) => Promise<Result>,
): Promise<Result> => handingOff(outbox, decide, (handing) => inTransaction(db, handing));

/** The same in a transaction that decisions about other people may share. `decide` may be run twice. */
export const groupedTransaction = <Result>(
  { outbox, groupCommit }: Committing & { groupCommit: GroupCommit<Entities> },
  person: string,
  decide: (tx: Db) => Promise<Result>,
): Promise<Result> => handingOff(outbox, decide, (handing) => groupCommit(person, handing));

async function handingOff<Result>(
  outbox: Outbox,
  decide: (tx: Db) => Promise<Result>,
  commit: (handing: (tx: Db) => Promise<Result>) => Promise<Result>,
): Promise<Result> {
  let handOff = outbox.handOff();
  try {
    const result = await commit((tx) => {
      // Run a second time, it enqueues anew.
      handOff.failed();
      handOff = outbox.handOff();
      handOffs.set(tx, handOff);
      return decide(tx);
    });
    handOff.committed();
    return result;
  } catch (error) {
    handOff.failed();
    throw error;
  }
}

/** Null for a transaction that was begun otherwise: what it enqueues is due. */
export const handOffOf = (tx: Db): HandOff | null => handOffs.get(tx) ?? null;
